//! Options of polls and votes for them: what is stored.

use std::future::ready;

use async_graphql::SimpleObject;
use chrono::{DateTime, Datelike as _, Month, NaiveDate, Utc, Weekday};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::part::{Part, key_of_part};
use super::shareable::{PollContent, RETENTION};
use super::short_id::ShortId;
use super::table::TABLE;
use super::token::{ShareableKind, VoterName};
use super::zone::Zone;
use trestle_api::versioned;
use trestle_api::{Listed, Revision};
use trestle_domain::{Day, List, Moment, Rule, Seconds, Text};
use trestle_table::{
    Condition, Entity, Key, KeyedAttributes, Listing, Pk, TableDefinition, TableError,
    VisibilityFilter,
};

/// The most options of a poll.
pub const MAX_OPTIONS: u32 = 20;

/// What an option says.
pub type OptionText = Text<1, 200>;

/// Whether two options read the same.
pub fn is_same(a: &OptionText, b: &OptionText) -> bool {
    let plain = |text: &OptionText| text.as_str().to_lowercase();
    plain(a) == plain(b)
}

/// A comment with a vote.
pub type Comment = Text<1, 500>;

/// A day, or a time, as an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PollTime {
    Day(Day),
    /// From a moment, and if it is known to another.
    From(Moment<Seconds>, Option<Moment<Seconds>>),
}

/// The numbers in a text, without zeros before them.
fn numbers(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_numeric());
    let words = words.filter(|word| !word.is_empty());
    words
        .map(|word| word.trim_start_matches('0').to_owned())
        .collect()
}

/// Whether a text names another day of the week than these days have, or another month beside a number, in English and in full or
/// by three letters. Alone, a word such as May or Sun may be anything.
fn names_other_than(days: &[NaiveDate], text: &str) -> bool {
    let mut words: Vec<String> = Vec::new();
    let mut kind = None;
    for c in text.chars() {
        let new = (c.is_alphabetic(), c.is_numeric());
        match words.last_mut().filter(|_| kind == Some(new)) {
            Some(word) => word.push(c),
            None => words.push(c.to_string()),
        }
        kind = Some(new);
    }
    let between = ["st", "nd", "rd", "th", "of", "the"];
    words.retain(|word| {
        word.chars().all(char::is_alphanumeric) && !between.contains(&word.to_lowercase().as_str())
    });
    let is_number = |at: usize| {
        words
            .get(at)
            .is_some_and(|word| word.contains(char::is_numeric))
    };
    words.iter().enumerate().any(|(at, word)| {
        let is_by_a_number = is_number(at + 1) || (at > 0 && is_number(at - 1));
        let is_of_a_date = is_by_a_number || (word.parse::<Month>().is_err() && word.len() > 3);
        let month = word.parse::<Month>().map(|month| month.number_from_month());
        let weekday = word.parse::<Weekday>();
        let is_other_month = month.is_ok_and(|month| days.iter().all(|day| day.month() != month));
        let is_other_weekday =
            weekday.is_ok_and(|weekday| days.iter().all(|day| day.weekday() != weekday));
        is_of_a_date && (is_other_month || is_other_weekday)
    })
}

/// Whether a number is written so; a year also by its last two digits.
fn is_number(number: &str, written: &str) -> bool {
    let is_short_year = number.len() == 4 && written.len() == 2;
    number == written || (is_short_year && number.ends_with(written))
}

/// A correction of an option: of its text, of its day or time, or of both.
#[derive(Clone, Debug)]
pub struct Correction {
    pub text: Option<OptionText>,
    pub time: Option<PollTime>,
}

/// An option to add.
#[derive(Clone, Debug, PartialEq)]
pub struct NewOption {
    pub text: OptionText,
    pub time: Option<PollTime>,
}

impl NewOption {
    /// Whether another option reads the same, or is the same day or time.
    pub fn repeats(&self, other: &Self) -> bool {
        is_same(&self.text, &other.text) || (self.time.is_some() && self.time == other.time)
    }
}

impl PollTime {
    /// What an option says that has no other text: `2026-11-20`, or a time or an interval of ISO 8601 with the clock of the
    /// poll's zone.
    pub fn text(self, zone: &Zone) -> Result<OptionText, Rule> {
        match self {
            PollTime::Day(day) => Text::parse(&day.to_string()),
            PollTime::From(from, None) => Text::parse(&zone.show(from)),
            PollTime::From(from, Some(to)) => {
                Text::parse(&format!("{}/{}", zone.show(from), zone.show(to)))
            }
        }
    }

    /// The day or time that a text is, if it is nothing else.
    fn of_text(text: &OptionText) -> Option<Self> {
        if let Ok(day) = Day::parse(text.as_str()) {
            return Some(PollTime::Day(day));
        }
        let (from, to) = match text.as_str().split_once('/') {
            Some((from, to)) => (from, Some(Moment::parse(to).ok()?)),
            None => (text.as_str(), None),
        };
        Some(PollTime::From(Moment::parse(from).ok()?, to))
    }

    /// Whether a text may say another day or time: it has numbers, and not the number of the day, or others than this one, or names
    /// another month or day of the week in English. People write dates in too many ways and languages to read them all.
    fn may_differ_from(self, text: &OptionText, zone: &Zone) -> bool {
        let written = numbers(text.as_str());
        let (mut own, mut days) = (Vec::new(), Vec::new());
        let (first, second) = match self {
            PollTime::Day(day) => (day.to_string(), None),
            PollTime::From(from, to) => (zone.show(from), to.map(|to| zone.show(to))),
        };
        for shown in [Some(first), second].into_iter().flatten() {
            days.extend(
                shown
                    .get(..10)
                    .and_then(|day| day.parse::<NaiveDate>().ok()),
            );
            // Without seconds and the offset.
            own.extend(numbers(shown.get(..16).unwrap_or(&shown)));
        }
        let day = own.get(2).cloned().unwrap_or_default();
        if !written.is_empty() && !written.contains(&day) {
            return true;
        }
        for number in written {
            let Some(at) = own.iter().position(|own| is_number(own, &number)) else {
                return true;
            };
            // 13 December does not say 13.13. as well.
            own.swap_remove(at);
        }
        names_other_than(&days, text.as_str())
    }

    /// Whether the clocks of another zone show at some moment what those of this one show, and an end stays after its beginning.
    fn exists_in(self, from: &Zone, to: &Zone) -> bool {
        let PollTime::From(start, end) = self else {
            return true;
        };
        let moved = to.same_clock(from, start);
        let is_shown = |at| from.clock(at) == to.clock(to.same_clock(from, at));
        let is_in_order = |end| end <= start || to.same_clock(from, end) > moved;
        is_shown(start) && end.is_none_or(|end| is_shown(end) && is_in_order(end))
    }

    /// The same day, or what the same clocks show in another zone.
    fn moved(self, from: &Zone, to: &Zone) -> Self {
        match self {
            PollTime::Day(day) => PollTime::Day(day),
            PollTime::From(start, end) => {
                let end = end.map(|end| to.same_clock(from, end));
                PollTime::From(to.same_clock(from, start), end)
            }
        }
    }
}

/// An option of a poll.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct PollOption {
    #[graphql(skip)]
    pub short_id: ShortId,
    #[graphql(skip)]
    pub poll_option_id: Uuid,
    /// Position: the options of a poll are in ascending order of it, and those of equal positions in that of their IDs.
    pub order: f64,
    /// Text, 1 to 200 characters.
    pub text: OptionText,
    /// When the text, the day or the time was last corrected. `null` if it never was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_at: Option<Moment>,
    /// The day, if the option is a whole one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<Day>,
    /// When it begins, if the option is a time. Show it in the poll's `timeZone`, or in the reader's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts_at: Option<Moment<Seconds>>,
    /// When it ends, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<Moment<Seconds>>,
    /// Number of votes for it.
    #[graphql(skip)]
    #[serde(default, deserialize_with = "trestle_domain::read_counter")]
    pub votes: u32,
    /// Number of votes that it suits if need be.
    #[graphql(skip)]
    #[serde(default, deserialize_with = "trestle_domain::read_counter")]
    pub maybes: u32,
    /// The poll's, so that a vote needs no read of it.
    #[graphql(skip)]
    pub votable_until: Moment<Seconds>,
    /// The poll's, so that a vote needs no read of it.
    #[graphql(skip)]
    pub allows_several: bool,
    /// The poll's, so that an option shows its votes by itself.
    #[graphql(skip)]
    pub hides_results: bool,
    #[graphql(skip)]
    pub ttl: i64,
}

/// `poll_option#abcdef12345` / `01#<uuid without dashes>#`.
impl Entity for PollOption {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "poll_option";
    const KEYED: KeyedAttributes = &[("pk", &["", "shortId"]), ("sk", &["", "pollOptionId"])];
    type Id = (ShortId, Uuid);

    fn key_of((short_id, id): &Self::Id) -> Key {
        key_of_part(Self::KIND, short_id, id)
    }

    fn identity(&self) -> Self::Id {
        (self.short_id.clone(), self.poll_option_id)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.ttl)
    }
}

impl Part for PollOption {
    const OF: ShareableKind = ShareableKind::Poll;

    fn order(&self) -> f64 {
        self.order
    }
}

impl PollOption {
    /// A new option of a poll.
    pub fn new(
        short_id: &ShortId,
        poll: &PollContent,
        expires_at: Moment<Seconds>,
        order: f64,
        new: NewOption,
    ) -> Self {
        let option = Self {
            short_id: short_id.clone(),
            poll_option_id: Uuid::new_v4(),
            order,
            text: new.text,
            edited_at: None,
            day: None,
            starts_at: None,
            ends_at: None,
            votes: 0,
            maybes: 0,
            votable_until: poll.votable_until(expires_at),
            allows_several: poll.allows_several,
            hides_results: poll.hides_results,
            ttl: expires_at.seconds() + RETENTION,
        };
        option.at(new.time)
    }

    /// The option at another day or time.
    fn at(self, time: Option<PollTime>) -> Self {
        let (day, starts_at, ends_at) = match time {
            Some(PollTime::Day(day)) => (Some(day), None, None),
            Some(PollTime::From(from, to)) => (None, Some(from), to),
            None => (None, None, None),
        };
        Self {
            day,
            starts_at,
            ends_at,
            ..self
        }
    }

    /// Its day or time, if it is one.
    pub fn time(&self) -> Option<PollTime> {
        let day = self.day.map(PollTime::Day);
        day.or_else(|| Some(PollTime::From(self.starts_at?, self.ends_at)))
    }

    /// What to add of one like it.
    pub fn to_new(&self) -> NewOption {
        NewOption {
            text: self.text.clone(),
            time: self.time(),
        }
    }

    /// Whether its text is what its day or time says by itself. Earlier versions of the service wrote it in UTC.
    fn has_default_text(&self, zone: &Zone) -> bool {
        let zones = [zone, &Zone::of(None)];
        let mut texts = zones
            .into_iter()
            .filter_map(|zone| self.time()?.text(zone).ok());
        texts.any(|text| text == self.text)
    }

    /// Its text, with the clock of the poll's zone if it is a time.
    pub fn shown_text(&self, zone: &Zone) -> OptionText {
        let time = self.time().filter(|_| self.has_default_text(zone));
        let text = time.and_then(|time| time.text(zone).ok());
        text.unwrap_or_else(|| self.text.clone())
    }

    /// The option with another text, day or time, by which it is the same one: its votes stay. A text that is a day or a
    /// time in ISO 8601 changes it, and a day or time its text, unless somebody gave it another one.
    ///
    /// # Errors
    /// The text may say another day or time, or would be too long.
    pub fn corrected(&self, new: Correction, zone: &Zone) -> Result<Self, Rule> {
        const OTHER: Rule = Rule::Invalid(
            "without numbers, months and weekdays that the day or time of the option does not have; or give `time` as well",
        );
        let mut time = new.time.or(self.time());
        if let (Some(text), None, Some(own)) = (&new.text, new.time, self.time()) {
            match PollTime::of_text(text) {
                Some(said) => time = Some(said),
                None if own.may_differ_from(text, zone) => return Err(OTHER),
                None => {}
            }
        }
        let text = match (new.text, time) {
            (Some(text), _) => text,
            (None, Some(time)) if self.time().is_none() || self.has_default_text(zone) => {
                time.text(zone)?
            }
            (None, _) => self.text.clone(),
        };
        let next = self.clone().at(time);
        Ok(Self { text, ..next })
    }

    /// The option after the zone of its poll was corrected: clocks show the same.
    pub fn in_zone(&self, before: &Zone, after: &Zone) -> Self {
        let time = self.time().map(|time| time.moved(before, after));
        let default = time.filter(|_| self.has_default_text(before));
        let text = default.and_then(|time| time.text(after).ok());
        let next = self.clone().at(time);
        Self {
            text: text.unwrap_or_else(|| self.text.clone()),
            ..next
        }
    }

    /// Whether the clocks of the zone to which its poll is corrected show its time, too.
    pub fn exists_in(&self, before: &Zone, after: &Zone) -> bool {
        self.time().is_none_or(|time| time.exists_in(before, after))
    }

    /// What holds of an option that nobody has voted for.
    pub fn unvoted() -> Condition {
        let unwanted = Condition::Any(vec![
            Condition::Lacks("maybes".into()),
            Condition::is("maybes", &0),
        ]);
        Condition::is("votes", &0).and(unwanted)
    }

    /// Whether it is too early to show its votes.
    pub fn hides_votes(&self, now: DateTime<Utc>) -> bool {
        self.hides_results && now.timestamp() < self.votable_until.seconds()
    }

    /// What holds of an option that takes a vote for one option, or for several, at `now`.
    pub fn takes_votes(now: Moment<Seconds>, count: usize) -> Condition {
        // The moment at which a poll closes is the first at which it is closed.
        let open = Condition::at_least("votableUntil", &now.after(now));
        match count {
            0 | 1 => open,
            _ => open.and(Condition::is("allowsSeveral", &true)),
        }
    }
}

/// A vote in a poll. A voter has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct PollVote {
    #[graphql(skip)]
    pub short_id: ShortId,
    /// Made of the id that the voter keeps secret.
    #[graphql(skip)]
    pub voter_id: Uuid,
    #[graphql(skip)]
    pub voter_name: Option<VoterName>,
    #[graphql(skip)]
    pub options: List<Uuid, 20>,
    /// What suits if need be.
    #[serde(default, skip_serializing_if = "is_empty")]
    #[graphql(skip)]
    pub maybes: List<Uuid, 20>,
    /// Whether none of the options suits the voter. Such a vote is an answer, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub none_suits: bool,
    /// Comment, if the voter gave one, at most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<Comment>,
    /// When the voter last changed the vote, if the delete of an option has changed it since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[graphql(skip)]
    pub last_cast_at: Option<Moment>,
    #[graphql(skip)]
    pub ttl: i64,
    #[serde(flatten)]
    #[graphql(skip)]
    pub stamp: Revision,
}

fn is_empty(options: &List<Uuid, 20>) -> bool {
    options.as_slice().is_empty()
}

impl PollVote {
    /// Whether it is for anything. One that was taken back is not.
    pub fn is_cast(&self) -> bool {
        self.none_suits || !is_empty(&self.options) || !is_empty(&self.maybes)
    }

    /// When the voter last changed it.
    pub fn cast_at(&self) -> Moment {
        self.last_cast_at.unwrap_or(self.stamp.updated_at)
    }

    /// Whether another one says the same.
    pub fn says_as(&self, other: &Self) -> bool {
        self.options == other.options
            && self.maybes == other.maybes
            && self.none_suits == other.none_suits
            && self.comment == other.comment
    }

    /// The vote without an option that was deleted. One that is for nothing else is taken back.
    pub fn without(&self, option: Uuid) -> Self {
        let mut next = Self {
            last_cast_at: Some(self.cast_at()),
            ..self.clone()
        };
        for list in [&mut next.options, &mut next.maybes] {
            let others = list.as_slice().iter().filter(|id| **id != option);
            // Fewer than before fit.
            *list = List::parse(others.map(|id| Ok(*id))).unwrap_or_default();
        }
        if !next.is_cast() {
            next.comment = None;
        }
        next
    }

    /// What it is for: each option, and whether only if need be.
    pub fn choices(&self) -> Vec<(Uuid, Count)> {
        let sure = self.options.as_slice().iter().map(|id| (*id, Count::Votes));
        let maybe = self.maybes.as_slice().iter();
        sure.chain(maybe.map(|id| (*id, Count::Maybes))).collect()
    }
}

/// Which count of an option a vote adds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    Votes,
    Maybes,
}

impl Count {
    /// The attribute that has it.
    pub fn attribute(self) -> &'static str {
        match self {
            Count::Votes => "votes",
            Count::Maybes => "maybes",
        }
    }
}

/// `poll_vote#abcdef12345` / `01#<voter without dashes>#`.
impl Entity for PollVote {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "poll_vote";
    const KEYED: KeyedAttributes = &[("pk", &["", "shortId"]), ("sk", &["", "voterId"])];
    type Id = (ShortId, Uuid);

    fn key_of((short_id, voter): &Self::Id) -> Key {
        key_of_part(Self::KIND, short_id, voter)
    }

    fn identity(&self) -> Self::Id {
        (self.short_id.clone(), self.voter_id)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.ttl)
    }
}

versioned!(PollVote);

impl Listed for PollVote {
    const PAGE: &'static str = "A page of votes.";
    const EDGE: &'static str = "A vote in a list.";
}

/// Votes that are for anything. One that was taken back is kept, for the voter's next one.
pub struct Cast;

impl VisibilityFilter<PollVote> for Cast {
    fn admit(
        &self,
        entities: &[&PollVote],
    ) -> impl Future<Output = Result<Vec<bool>, TableError>> + Send {
        ready(Ok(entities.iter().map(|vote| vote.is_cast()).collect()))
    }
}

/// The votes of a poll, by their voters' ids: for cursors of releases that listed them so. `poll_vote#abcdef12345`, one
/// Query.
pub fn votes_of(short_id: &ShortId) -> Listing<PollVote> {
    Listing::of("votes/poll", Pk::of(PollVote::KIND, short_id))
}
