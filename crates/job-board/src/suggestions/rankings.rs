//! Which of some jobs comes first for a headline with skills, and at which level.

use super::content::{Offered, Rarity, Wanted};
use super::headlines::{job, lines, seeker};
use super::relevance::{Assessment, assess};
use crate::jobs::Job;
use trestle_domain::Day;

const RANKINGS: &str = include_str!("../../tests/job_board/relevance/rankings.txt");
const LEVELS: [&str; 6] = ["R1", "R2", "R3", "none", "upper", "lower"];

/// A posting of a line, the level that is expected of it, and how many marks > are before it.
struct Posting {
    level: Option<&'static str>,
    rank: usize,
    job: Job,
    offered: Offered,
}

fn skills(text: &str) -> Vec<&str> {
    let skills = text.split(',').map(str::trim);
    skills.filter(|skill| !skill.is_empty()).collect()
}

fn posting(text: &'static str, rank: usize, at: i64) -> Posting {
    let text = text.trim();
    let (level, text) = match text.split_once(' ') {
        Some((level, rest)) if LEVELS.contains(&level) => (Some(level), rest),
        _ => (None, text),
    };
    let (title, listed) = text.split_once('[').unwrap_or((text, ""));
    let job = job(
        title.trim(),
        None,
        &skills(listed.trim_end_matches(']')),
        at,
    );
    let offered = Offered::of(&job);
    Posting {
        level,
        rank,
        job,
        offered,
    }
}

fn postings(text: &'static str) -> Vec<Posting> {
    let ranks = text.split(" > ").enumerate();
    let postings = ranks.flat_map(|(rank, beside)| {
        let beside = beside.split(" ; ").zip(0..);
        beside.map(move |(text, at)| posting(text, rank, at))
    });
    postings.collect()
}

fn is_at(level: &str, fit: Option<&Assessment>) -> bool {
    let found = fit.map_or("none", |fit| fit.relevance.word());
    match level {
        "upper" => matches!(found, "R1" | "R2"),
        "lower" => matches!(found, "R3" | "none"),
        level => level == found,
    }
}

#[test]
fn jobs_are_ranked_as_a_reader_would() {
    let mut wrong = Vec::new();
    for line in lines(RANKINGS) {
        let [headline, listed, text] = line.splitn(3, '|').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let postings = postings(text);
        let mut rarity = Rarity::default();
        postings
            .iter()
            .for_each(|posting| rarity.count(&posting.offered));
        let seeker = seeker(headline.trim(), &skills(listed));
        let wanted = Wanted::of(&seeker);
        let today = Day::parse("2026-02-21").unwrap();
        let fit = |posting: &Posting| {
            let job = (&posting.job, &posting.offered);
            assess((&seeker, &wanted), job, &rarity, today)
        };
        let fits: Vec<_> = postings.iter().map(fit).collect();
        let score = |at: usize| fits[at].as_ref().map_or(0, |fit| fit.score);
        let are_at_levels = postings.iter().zip(&fits).all(|(posting, fit)| {
            let mut levels = posting.level.iter();
            levels.all(|level| is_at(level, fit.as_ref()))
        });
        let pairs = (0..postings.len()).flat_map(|a| (0..postings.len()).map(move |b| (a, b)));
        let mut pairs = pairs.filter(|(a, b)| postings[*a].rank < postings[*b].rank);
        let are_in_order = pairs.all(|(a, b)| score(a) > score(b));
        if !are_at_levels || !are_in_order {
            let found = postings.iter().zip(&fits).map(|(posting, fit)| {
                let title = posting.job.title.as_str();
                let why = fit.as_ref().map(|fit| {
                    let reasons = fit.reasons.iter();
                    let reasons: Vec<_> = reasons
                        .map(|reason| format!("{} {}", reason.points, reason.text))
                        .collect();
                    (fit.relevance, fit.score, reasons)
                });
                format!("\n    {:?} {title}: {why:?}", posting.level)
            });
            let found: String = found.collect();
            wrong.push(format!(
                "{headline} {:?}{found}",
                wanted
                    .occupations
                    .iter()
                    .map(|one| one.occupation)
                    .collect::<Vec<_>>()
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
