//! Which job comes first for headlines as people of ordinary trades write them, among the jobs of an ordinary board. `just
//! relevance` prints the share of those that are right, and the others.

use chrono::DateTime;
use serde_json::{Value, json};
use trestle_domain::{Day, Ulid};

use crate::jobs::Job;
use crate::seekers::Seeker;

use super::content::{Offered, Rarity, Wanted};
use super::relevance::{Assessment, assess};

const BOARD: &str = include_str!("../../tests/job_board/relevance/board.txt");
/// Those that the lists of names were tuned on.
const TUNED: &str = include_str!("../../tests/job_board/relevance/headlines_tuned.txt");
/// Those that were kept back until the lists were done.
const HELD_OUT: &str = include_str!("../../tests/job_board/relevance/headlines_held_out.txt");
/// What is expected of a headline that names no job of the board.
const NOTHING: &str = "nothing";

/// A job of the board, of a kind.
struct Posting {
    kind: &'static str,
    job: Job,
    offered: Offered,
}

pub fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

fn posting(line: &'static str, at: i64) -> Posting {
    let mut cells = line.split('|').map(str::trim);
    let (kind, title) = (cells.next().unwrap(), cells.next().unwrap());
    let description = cells.next().filter(|text| !text.is_empty());
    let job = job(title, description, &[], at);
    let offered = Offered::of(&job);
    Posting { kind, job, offered }
}

/// A job that was posted so many seconds after the first one.
pub fn job(title: &str, description: Option<&str>, skills: &[&str], at: i64) -> Job {
    let moment = DateTime::from_timestamp(1_771_000_000 + at, 0).unwrap();
    let stored = json!({
        "jobId": Ulid::of(moment, 0).to_string(), "employerId": "erin", "city": "austin", "zip": "", "company": "Acme",
        "title": title, "description": description, "skills": skills, "isRemote": false,
        "lastDay": "9999-12-31", "places": [{ "city": "Austin", "region": "TX", "country": "US", "zip": "" }],
        "createdAt": "2026-02-20T10:00:00.000Z", "updatedAt": "2026-02-20T10:00:00.000Z",
    });
    serde_json::from_value(stored).unwrap()
}

pub fn seeker(headline: &str, skills: &[&str]) -> Seeker {
    let stored: Value = json!({
        "seekerId": "ann", "name": "Ann", "headline": headline, "skills": skills, "wantsRemote": false,
        "places": [{ "city": "Austin", "region": "TX", "country": "US", "zip": "" }],
        "createdAt": "2026-02-20T10:00:00.000Z", "updatedAt": "2026-02-20T10:00:00.000Z",
    });
    serde_json::from_value(stored).unwrap()
}

/// The board, the newest job first.
fn board() -> (Vec<Posting>, Rarity) {
    let mut postings: Vec<_> = lines(BOARD)
        .zip(0..)
        .map(|(line, at)| posting(line, at))
        .collect();
    postings.reverse();
    let mut rarity = Rarity::default();
    for posting in &postings {
        rarity.count(&posting.offered);
    }
    (postings, rarity)
}

/// The suggestions for a headline, in their order.
fn suggested<'b>(
    (postings, rarity): &'b (Vec<Posting>, Rarity),
    headline: &str,
) -> Vec<(Assessment, &'b Posting)> {
    let seeker = seeker(headline, &[]);
    let wanted = Wanted::of(&seeker);
    let today = Day::of(DateTime::from_timestamp(1_771_600_000, 0).unwrap());
    let found = postings.iter().filter_map(|posting| {
        let job = (&posting.job, &posting.offered);
        Some((assess((&seeker, &wanted), job, rarity, today)?, posting))
    });
    let mut found: Vec<_> = found.collect();
    found.sort_by_key(|(fit, _)| (fit.relevance.word(), std::cmp::Reverse(fit.score)));
    found
}

/// The share of headlines for which the first suggestion is right. Prints the others.
fn right_share(name: &str, file: &'static str) -> f64 {
    let board = board();
    let (mut right, mut all) = (0, 0);
    for line in lines(file) {
        let (kinds, headline) = line.split_once('|').unwrap();
        let headline = headline.trim();
        let found = suggested(&board, headline);
        let kind = found.first().map_or(NOTHING, |(_, posting)| posting.kind);
        all += 1;
        if kinds.split(',').any(|expected| expected.trim() == kind) {
            right += 1
        } else {
            let shown = found.iter().take(2).map(|(fit, posting)| {
                format!(
                    "{} {} {:?}",
                    posting.job.title.as_str(),
                    fit.score,
                    fit.reasons
                )
            });
            println!(
                "{headline} ({}): {:?}",
                kinds.trim(),
                shown.collect::<Vec<_>>()
            );
        }
    }
    let share = f64::from(right) / f64::from(all);
    println!("first suggestion right, headlines {name}: {right} of {all}, {share:.2}");
    share
}

#[test]
fn the_first_suggestion_is_what_a_headline_names() {
    let share = right_share("that lists were tuned on", TUNED);
    assert!(share >= 0.97, "{share:.2}");
}

#[test]
fn the_first_suggestion_is_what_a_headline_names_that_was_held_out() {
    let share = right_share("that were held out", HELD_OUT);
    assert!(share >= 0.9, "{share:.2}");
}
