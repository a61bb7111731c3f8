//! The agenda in the format that calendars read. Source: RFC 5545.

use std::collections::BTreeSet;

use chrono::{DateTime, FixedOffset, NaiveDate, TimeDelta, Utc};

use crate::model::Application;
use crate::store::{AgendaEntry, Event};
use trestle_domain::Link;

/// The most characters of a summary. Other programs store longer text than we accept.
const SUMMARY: usize = 500;
/// The most bytes of a line, without its break.
const LINE: usize = 75;

/// The minutes of a stage that does not say how long it takes.
const HOUR: i64 = 60;
/// How often calendars read a subscription again. They may decide otherwise.
const REFRESH: &str = "PT1H";

/// What a calendar is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be imported once. Times are in UTC.
    File,
    /// To be read again and again. Times have the offsets that they are stored with.
    Subscription {
        /// Whether events have alarms.
        alarms: bool,
    },
}

/// A calendar with one event for each entry.
pub fn calendar(entries: &[AgendaEntry], purpose: Purpose) -> String {
    let mut calendar = Lines::default();
    calendar.add("BEGIN", "VCALENDAR");
    calendar.add("VERSION", "2.0");
    calendar.add("PRODID", "-//Trestle//Applications//EN");
    calendar.add("X-WR-CALNAME", "Job applications");
    if matches!(purpose, Purpose::Subscription { .. }) {
        calendar.add("REFRESH-INTERVAL;VALUE=DURATION", REFRESH);
        calendar.add("X-PUBLISHED-TTL", REFRESH);
        zones(&mut calendar, entries);
    }
    for entry in entries {
        event(&mut calendar, entry, purpose);
    }
    calendar.add("END", "VCALENDAR");
    calendar.0
}

/// The zones of the events: each is an offset, which is all that a stage says of its zone.
fn zones(calendar: &mut Lines, entries: &[AgendaEntry]) {
    let moments = entries.iter().filter_map(|entry| match &entry.event {
        Event::Stage(_, moment) => Some(moment.0.offset().local_minus_utc()),
        Event::NextAction | Event::OfferDue => None,
    });
    let offsets: BTreeSet<_> = moments.filter(|seconds| *seconds != 0).collect();
    let offsets = offsets.into_iter().filter_map(FixedOffset::east_opt);
    for offset in offsets {
        let digits = offset.to_string().replace(':', "");
        calendar.add("BEGIN", "VTIMEZONE");
        calendar.add("TZID", &zone(offset));
        calendar.add("BEGIN", "STANDARD");
        calendar.add("DTSTART", "19700101T000000");
        calendar.add("TZOFFSETFROM", &digits);
        calendar.add("TZOFFSETTO", &digits);
        calendar.add("TZNAME", &format!("UTC{offset}"));
        calendar.add("END", "STANDARD");
        calendar.add("END", "VTIMEZONE");
    }
}

/// The name of an offset's zone, which needs no quotes.
fn zone(offset: FixedOffset) -> String {
    format!("UTC{}", offset.to_string().replace(':', ""))
}

fn event(calendar: &mut Lines, entry: &AgendaEntry, purpose: Purpose) {
    let application = &entry.application;
    let id = &application.id;
    let (uid, what) = match &entry.event {
        Event::Stage(stage, _) => (format!("stage-{id}-{}", stage.key), stage.name.text()),
        Event::NextAction => (
            format!("next-action-{id}"),
            application.details.next_action.text(),
        ),
        Event::OfferDue => (format!("offer-due-{id}"), "Offer due".to_owned()),
    };
    let what = match what.trim() {
        "" => "Next action".to_owned(),
        what => what.to_owned(),
    };
    calendar.add("BEGIN", "VEVENT");
    // Ids of other programs may have any character.
    calendar.text("UID", &format!("{uid}@trestle"));
    calendar.add("DTSTAMP", &utc(changed(application)));
    match &entry.event {
        Event::Stage(stage, moment) => {
            let minutes = stage.duration_minutes.get().map_or(HOUR, i64::from);
            let end = moment.0.checked_add_signed(TimeDelta::minutes(minutes));
            calendar.moment("DTSTART", moment.0, purpose);
            calendar.moment("DTEND", end.unwrap_or(moment.0), purpose);
        }
        Event::NextAction | Event::OfferDue => {
            let next = entry.date.succ_opt().unwrap_or(entry.date);
            calendar.add("DTSTART;VALUE=DATE", &day(entry.date));
            calendar.add("DTEND;VALUE=DATE", &day(next));
            calendar.add("TRANSP", "TRANSPARENT");
        }
    }
    let details = &application.details;
    let (company, position) = (details.company_name.text(), details.position_title.text());
    let summary = format!("{what}: {company}, {position}");
    calendar.text("SUMMARY", &summary);
    if let Some(link) = details.job_posting_url.get() {
        calendar.link(&link);
    }
    if purpose == (Purpose::Subscription { alarms: true }) {
        alarm(calendar, &entry.event, &summary);
    }
    calendar.add("END", "VEVENT");
}

/// When a calendar reminds of an event: of an interview half an hour before, of an action in the morning of its day, of
/// an offer in the morning of the day before, while there is time to decide.
fn alarm(calendar: &mut Lines, event: &Event, summary: &str) {
    let trigger = match event {
        Event::Stage(..) => "-PT30M",
        Event::NextAction => "PT9H",
        Event::OfferDue => "-PT15H",
    };
    calendar.add("BEGIN", "VALARM");
    calendar.add("ACTION", "DISPLAY");
    calendar.add("TRIGGER", trigger);
    calendar.text("DESCRIPTION", summary);
    calendar.add("END", "VALARM");
}

/// When the application was last changed. Calendars replace an event by a newer one.
fn changed(application: &Application) -> DateTime<Utc> {
    let changed = application.last_update().millis();
    DateTime::from_timestamp_millis(changed).unwrap_or_default()
}

fn utc(moment: DateTime<Utc>) -> String {
    moment.format("%Y%m%dT%H%M%SZ").to_string()
}

fn day(date: NaiveDate) -> String {
    date.format("%Y%m%d").to_string()
}

/// Lines of a calendar, each folded to [`LINE`] bytes.
#[derive(Default)]
struct Lines(String);

impl Lines {
    /// A property whose value needs no escapes.
    fn add(&mut self, name: &str, value: &str) {
        let line = format!("{name}:{value}");
        let mut bytes = 0;
        for c in line.chars() {
            if bytes + c.len_utf8() > LINE {
                self.0.push_str("\r\n ");
                bytes = 1;
            }
            self.0.push(c);
            bytes += c.len_utf8();
        }
        self.0.push_str("\r\n");
    }

    /// A property of a moment: in the zone of its offset, or in UTC if it has none.
    fn moment(&mut self, name: &str, moment: DateTime<FixedOffset>, purpose: Purpose) {
        let offset = *moment.offset();
        if purpose == Purpose::File || offset.local_minus_utc() == 0 {
            self.add(name, &utc(moment.to_utc()));
        } else {
            let local = moment.naive_local().format("%Y%m%dT%H%M%S");
            self.add(&format!("{name};TZID={}", zone(offset)), &local.to_string());
        }
    }

    /// A property of text, cut to [`SUMMARY`] characters.
    fn text(&mut self, name: &str, value: &str) {
        let mut escaped = String::new();
        for c in value.chars().take(SUMMARY) {
            match c {
                '\\' | ';' | ',' => {
                    escaped.push('\\');
                    escaped.push(c);
                }
                '\n' => escaped.push_str("\\n"),
                // No other control character may be in a calendar.
                c if c.is_control() => {}
                c => escaped.push(c),
            }
        }
        self.add(name, &escaped);
    }

    /// A link, with the characters percent-encoded that a URL cannot have.
    fn link(&mut self, link: &Link) {
        if let Ok(url) = url::Url::parse(link.as_str()) {
            self.add("URL", url.as_str());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_folded_between_characters() {
        let mut lines = Lines::default();
        lines.text("SUMMARY", &"ü".repeat(100));
        for line in lines.0.lines() {
            assert!(line.len() <= LINE, "{line}");
        }
        let unfolded = lines.0.replace("\r\n ", "");
        assert_eq!(unfolded, format!("SUMMARY:{}\r\n", "ü".repeat(100)));
    }

    #[test]
    fn text_is_escaped_and_cut() {
        let mut lines = Lines::default();
        lines.text("SUMMARY", "a\\b;c,d\ne\r\u{7}f");
        assert_eq!(lines.0, "SUMMARY:a\\\\b\\;c\\,d\\nef\r\n");
        let mut lines = Lines::default();
        lines.text("SUMMARY", &"x".repeat(10 * SUMMARY));
        assert_eq!(lines.0.matches('x').count(), SUMMARY);
    }
}
