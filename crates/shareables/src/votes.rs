//! The votes of a poll in the order in which they came. Their keys are made of their voters, so a page reads all of them.

use async_graphql::Context;

use super::poll::{Cast, PollVote, votes_of};
use super::request_context::RequestContext;
use super::short_id::ShortId;
use super::table::TABLE;
use trestle_api::{ApiError, Connection, page, page_args};
use trestle_domain::{Millis, Moment};
use trestle_table::{Direction, Entity as _, Item, MalformedItem, Pk, cursor, from_item};

/// Where a vote is in the list. A vote that is changed stays there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct VotePlace {
    /// When the voter first voted.
    came: String,
    /// The sort key, of which there is one for each voter.
    key: String,
}

impl VotePlace {
    /// After every moment: of an item that does not say when it was made.
    const UNKNOWN: &'static str = "~";

    fn of(item: &Item) -> Option<Self> {
        let came = item.get("createdAt").and_then(|value| value.as_s().ok());
        let came = came.and_then(|text| Moment::<Millis>::parse(text).ok());
        Some(Self {
            came: came.map_or_else(|| Self::UNKNOWN.to_owned(), |came| came.to_string()),
            key: TABLE.key_in(item)?.sk.as_str().to_owned(),
        })
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (came, key) = std::str::from_utf8(bytes).ok()?.split_once('|')?;
        Some(Self {
            came: came.to_owned(),
            key: key.to_owned(),
        })
    }

    fn cursor(&self, list: &str) -> String {
        cursor::encode(list, format!("{}|{}", self.came, self.key).as_bytes())
    }

    /// Whether it is nearer to the list's beginning, in this direction, than another.
    fn is_before(&self, other: &Self, direction: Direction) -> bool {
        match direction {
            Direction::Forward => self < other,
            Direction::Backward => self > other,
        }
    }
}

/// A vote that was read, or why it cannot be.
type Read = (VotePlace, Result<PollVote, MalformedItem>);

/// A page of the votes of a poll, by the field's pagination arguments. One Query for each megabyte of votes.
///
/// # Errors
/// BAD_USER_INPUT for arguments that cannot be combined; as every call.
pub async fn page_of_votes(
    ctx: &Context<'_>,
    short_id: &ShortId,
) -> Result<Connection<PollVote>, ApiError> {
    let (context, args) = (RequestContext::of(ctx)?, page_args(ctx.field())?);
    let earlier = votes_of(short_id);
    let is_earlier = |cursor: &String| earlier.place_of(cursor).is_ok();
    if args.cursor.as_ref().is_some_and(is_earlier) {
        // Whoever walks through the votes since an earlier release gets the rest in the order of that one.
        return page(ctx, &earlier, &Cast).await;
    }
    let list = format!("votes/came {}", Pk::of(PollVote::KIND, short_id).as_str());
    let place = args.place(&list, VotePlace::from_bytes)?;
    let (wanted, direction) = (args.size + 1, args.direction);
    let mut found = first(context, short_id, wanted, direction, place.as_ref()).await?;
    let more = found.len() > args.size;
    found.truncate(args.size);
    if args.direction == Direction::Backward {
        found.reverse();
    }
    let nodes = found
        .into_iter()
        .map(|(place, vote)| (place.cursor(&list), vote.map_err(ApiError::from)));
    Ok(Connection::of_read(&args, nodes.collect(), more))
}

/// The first votes, as far as they can be read; what cannot be is logged.
pub async fn first_of(
    context: RequestContext<'_>,
    short_id: &ShortId,
    wanted: usize,
) -> Result<Vec<PollVote>, ApiError> {
    let found = first(context, short_id, wanted, Direction::Forward, None).await?;
    let readable = found.into_iter().filter_map(|(_, vote)| match vote {
        Ok(vote) => Some(vote),
        Err(error) => {
            tracing::error!(%error, "a vote cannot be read");
            None
        }
    });
    Ok(readable.collect())
}

/// The first `wanted` votes in a direction, after a place. Holds no more of them than that, and one megabyte.
async fn first(
    context: RequestContext<'_>,
    short_id: &ShortId,
    wanted: usize,
    direction: Direction,
    after: Option<&VotePlace>,
) -> Result<Vec<Read>, ApiError> {
    let tables = context.tables();
    let table = tables.of::<PollVote>()?;
    let mut query = table.query(Pk::of(PollVote::KIND, short_id));
    let mut found: Vec<Read> = Vec::new();
    loop {
        let page = query.clone().page(tables.meter()).await?;
        // What comes after the last one of a full list is not wanted.
        let last = found.get(wanted - 1).map(|(place, _)| place.clone());
        for item in page.items {
            let Some(place) = VotePlace::of(&item) else {
                continue;
            };
            let is_wanted = after.is_none_or(|after| after.is_before(&place, direction))
                && last
                    .as_ref()
                    .is_none_or(|last| place.is_before(last, direction));
            if !is_wanted {
                continue;
            }
            let vote = from_item::<PollVote>(item);
            if vote.as_ref().map_or(true, PollVote::is_cast) {
                found.push((place, vote));
            }
        }
        found.sort_by(|(one, _), (other, _)| match direction {
            Direction::Forward => one.cmp(other),
            Direction::Backward => other.cmp(one),
        });
        found.truncate(wanted);
        match page.last_evaluated_key {
            Some(key) => query = query.continue_from(key),
            None => return Ok(found),
        }
    }
}
