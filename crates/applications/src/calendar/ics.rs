//! The agenda in the format that calendars read. Source: RFC 5545.

use chrono::{DateTime, NaiveDate, Utc};

use crate::model::{Application, Timestamp};
use crate::store::{AgendaEntry, Event};
use trestle_domain::Link;

/// The most characters of a summary. Other programs store longer text than we accept.
const SUMMARY: usize = 500;
/// The most bytes of a line, without its break.
const LINE: usize = 75;

/// A calendar with one event for each entry.
pub fn calendar(entries: &[AgendaEntry]) -> String {
    let mut calendar = Lines::default();
    calendar.add("BEGIN", "VCALENDAR");
    calendar.add("VERSION", "2.0");
    calendar.add("PRODID", "-//Trestle//Applications//EN");
    calendar.add("X-WR-CALNAME", "Job applications");
    for entry in entries {
        event(&mut calendar, entry);
    }
    calendar.add("END", "VCALENDAR");
    calendar.0
}

fn event(calendar: &mut Lines, entry: &AgendaEntry) {
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
        Event::Stage(_, moment) => calendar.add("DTSTART", &utc(moment.0.to_utc())),
        Event::NextAction | Event::OfferDue => {
            calendar.add("DTSTART;VALUE=DATE", &day(entry.date));
            calendar.add("TRANSP", "TRANSPARENT");
        }
    }
    let details = &application.details;
    let (company, position) = (details.company_name.text(), details.position_title.text());
    calendar.text("SUMMARY", &format!("{what}: {company}, {position}"));
    if let Some(link) = details.job_posting_url.get() {
        calendar.link(&link);
    }
    calendar.add("END", "VEVENT");
}

/// When the application was last changed. Calendars replace an event by a newer one.
fn changed(application: &Application) -> DateTime<Utc> {
    let changed = application.updated_at.get();
    let changed = changed.and_then(|at: Timestamp| DateTime::from_timestamp_millis(at.millis()));
    changed.unwrap_or_default()
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
