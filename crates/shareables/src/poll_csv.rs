//! The result of a poll as a file that spreadsheets read. Source: RFC 4180.

use uuid::Uuid;

use super::poll::{PollOption, PollVote};
use super::request_context::RequestContext;
use super::shareable::{PollContent, Shareable};
use super::token::ShareableRole;
use super::votes;
use super::zone::Zone;
use trestle_api::{ApiError, Code};
use trestle_domain::Moment;
use trestle_spreadsheet::CsvFile;

/// The most votes of a file: it is one field of an answer.
const MOST: usize = 5000;

/// The votes of a poll, in the order in which they came, and below them the options' counts. One Query of the options, and
/// one for each megabyte of votes.
///
/// # Errors
/// BAD_USER_INPUT if there are more votes than fit; as every call.
pub async fn result(
    context: RequestContext<'_>,
    shareable: &Shareable,
    poll: &PollContent,
) -> Result<String, ApiError> {
    let short_id = &shareable.short_id;
    let claims = context.seen_claims(short_id)?;
    let options = context.parts::<PollOption>(short_id).await?;
    let votes = votes::first_of(context, short_id, MOST + 1).await?;
    if votes.len() > MOST {
        let message = format!(
            "The poll has more than {MOST} votes, the most of a file. Read `votes` page by page."
        );
        return Err(ApiError::new(Code::BadUserInput, message));
    }
    let shows_name = |vote: &PollVote| {
        !poll.hides_names
            || claims.role == ShareableRole::Admin
            || vote.voter_id == claims.public_voter_id()
    };
    let mut file = CsvFile::default();
    let zone = Zone::of(poll.time_zone.as_ref());
    let texts = options
        .iter()
        .map(|option| option.shown_text(&zone).to_string());
    // Votes keep what they say when the poll no longer allows it.
    let has_none = poll.none_count > 0 || votes.iter().any(|vote| vote.none_suits);
    let has_maybe =
        poll.allows_maybe || votes.iter().any(|vote| !vote.maybes.as_slice().is_empty());
    let none_title = has_none.then(|| "None of these".to_owned());
    let titles = std::iter::once("Voter".to_owned()).chain(texts);
    let titles = titles.chain(none_title);
    file.row(titles.chain(["Comment", "Voted at"].map(str::to_owned)));
    for vote in &votes {
        let name = vote.voter_name.as_ref().filter(|_| shows_name(vote));
        let answers = options
            .iter()
            .map(|option| answer(vote, option.poll_option_id));
        let none = if vote.none_suits { "yes" } else { "no" };
        let answers = answers.chain(has_none.then_some(none));
        let comment = vote.comment.as_ref().map(ToString::to_string);
        let name = name.map(ToString::to_string).unwrap_or_default();
        let cells = std::iter::once(name).chain(answers.map(str::to_owned));
        file.row(cells.chain([comment.unwrap_or_default(), voted_at(vote, poll, &zone)]));
    }
    let empty = [String::new(), String::new()];
    let counts = options.iter().map(|option| option.votes.to_string());
    let none_count = has_none.then(|| poll.none_count.to_string());
    let cells = std::iter::once("Votes".to_owned()).chain(counts);
    file.row(cells.chain(none_count).chain(empty.clone()));
    if has_maybe {
        let counts = options.iter().map(|option| option.maybes.to_string());
        let none_count = has_none.then(String::new);
        let cells = std::iter::once("If need be".to_owned()).chain(counts);
        file.row(cells.chain(none_count).chain(empty));
    }
    file.finish().map_err(ApiError::internal)
}

/// When somebody voted, with the clock of the poll's zone if it has one.
fn voted_at(vote: &PollVote, poll: &PollContent, zone: &Zone) -> String {
    let at = vote.cast_at();
    let seconds = Moment::from_seconds(at.millis() / 1000);
    match (&poll.time_zone, seconds) {
        (Some(_), Some(seconds)) => zone.show(seconds),
        (None, _) | (_, None) => at.to_string(),
    }
}

fn answer(vote: &PollVote, option: Uuid) -> &'static str {
    if vote.options.as_slice().contains(&option) {
        "yes"
    } else if vote.maybes.as_slice().contains(&option) {
        "if need be"
    } else {
        "no"
    }
}
