//! How often the first suggestion is right. `just relevance` prints it for the headlines and postings that were written for it,
//! and with a folder of O*NET's tables for a sample of them, which a seed chooses, so that nobody can tune to one.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::DateTime;
use serde_json::{Value, json};
use trestle_domain::{Day, Ulid};
use trestle_table::Entity as _;

use crate::jobs::Job;
use crate::seekers::Seeker;

use super::content::{Offered, Wanted};
use super::reason::Relevance;
use super::relevance::{Assessment, assess, rank};

const BOARD: &str = include_str!("../../tests/job_board/relevance/board.txt");
/// Those that abbreviations were chosen on.
const TUNED: &str = include_str!("../../tests/job_board/relevance/headlines_tuned.txt");
/// Those that were kept back until everything was chosen.
const HELD_OUT: &str = include_str!("../../tests/job_board/relevance/headlines_held_out.txt");
/// What is expected of a headline that names no job of the board.
const NOTHING: &str = "nothing";

/// A title, and what it has to be to be right.
#[derive(Debug)]
struct Posting {
    job: Job,
    offered: Offered,
    kinds: BTreeSet<String>,
}

/// A headline, and the kinds of postings that are right for it, and those that are not quite wrong.
struct Query {
    headline: String,
    right: BTreeSet<String>,
    near: BTreeSet<String>,
}

/// Shares of an evaluation.
#[derive(Debug, Default)]
struct Measured {
    first_right: f64,
    average_precision: f64,
    empty: f64,
    wrong_in_r1: f64,
}

/// A job that was posted so many seconds after the first one.
fn job(title: &str, at: i64) -> Job {
    let moment = DateTime::from_timestamp(1_771_000_000 + at, 0).unwrap();
    let stored = json!({
        "jobId": Ulid::of(moment, 0).to_string(), "employerId": "erin", "city": "austin", "zip": "", "company": "Acme",
        "title": title, "skills": [], "isRemote": false, "lastDay": "9999-12-31",
        "places": [{ "city": "Austin", "region": "TX", "country": "US", "zip": "" }],
        "createdAt": "2026-02-20T10:00:00.000Z", "updatedAt": "2026-02-20T10:00:00.000Z",
    });
    serde_json::from_value(stored).unwrap()
}

fn seeker(headline: &str) -> Seeker {
    let stored: Value = json!({
        "seekerId": "ann", "name": "Ann", "headline": headline, "skills": [], "wantsRemote": false,
        "places": [{ "city": "Austin", "region": "TX", "country": "US", "zip": "" }],
        "createdAt": "2026-02-20T10:00:00.000Z", "updatedAt": "2026-02-20T10:00:00.000Z",
    });
    serde_json::from_value(stored).unwrap()
}

fn posting(title: &str, kinds: BTreeSet<String>, at: i64) -> Posting {
    let job = job(title, at);
    let offered = Offered::of(&job);
    Posting {
        job,
        offered,
        kinds,
    }
}

/// The suggestions for a headline, in their order.
fn suggested<'p>(postings: &'p [Posting], headline: &str) -> Vec<(Assessment, &'p Posting)> {
    let seeker = seeker(headline);
    let wanted = Wanted::of(&seeker);
    let today = Day::of(DateTime::from_timestamp(1_771_600_000, 0).unwrap());
    let found = postings.iter().filter_map(|posting| {
        let fit = assess(&seeker, &wanted, &posting.job, &posting.offered, today)?;
        Some((posting.job.identity(), fit))
    });
    let mut found: Vec<_> = found.collect();
    rank(&mut found);
    let by_id: HashMap<_, _> = postings
        .iter()
        .map(|posting| (posting.job.identity(), posting))
        .collect();
    let found = found.into_iter();
    found.map(|(id, fit)| (fit, by_id[&id])).collect()
}

fn measure(name: &str, postings: &[Posting], queries: &[Query]) -> Measured {
    let mut found = Measured::default();
    let (mut wrong, mut upper) = (0.0, 0.0_f64);
    for query in queries {
        let shown = suggested(postings, &query.headline);
        let is_right = |posting: &Posting| !posting.kinds.is_disjoint(&query.right);
        let expected = postings.iter().filter(|posting| is_right(posting)).count();
        let first = shown.first().map(|(_, posting)| posting);
        let is_first_right = first.map_or(expected == 0, |posting| is_right(posting));
        if !is_first_right {
            let title = first.map(|posting| posting.job.title.as_str());
            println!("{}: {title:?}", query.headline);
        }
        found.first_right += f64::from(u8::from(is_first_right));
        found.empty += f64::from(u8::from(shown.is_empty()));
        let (mut right, mut precision) = (0.0, 0.0);
        for ((fit, posting), rank) in shown.iter().zip(1..) {
            if is_right(posting) {
                right += 1.0;
                precision += right / f64::from(rank);
            }
            if fit.relevance == Relevance::R1 {
                upper += 1.0;
                let is_near = !posting.kinds.is_disjoint(&query.near);
                wrong += f64::from(u8::from(!is_right(posting) && !is_near));
            }
        }
        found.average_precision += precision / expected.max(1) as f64;
    }
    let all = queries.len() as f64;
    found.first_right /= all;
    found.average_precision /= all;
    found.empty /= all;
    found.wrong_in_r1 = wrong / upper.max(1.0);
    println!(
        "{name}: {all} headlines, first right {:.2}, mean average precision {:.2}, empty {:.2}, wrong in R1 {:.2}",
        found.first_right, found.average_precision, found.empty, found.wrong_in_r1
    );
    found
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

fn kinds(text: &str) -> BTreeSet<String> {
    text.split(',').map(|kind| kind.trim().to_owned()).collect()
}

fn own_board() -> Vec<Posting> {
    let postings = lines(BOARD).zip(0..).map(|(line, at)| {
        let mut cells = line.split('|').map(str::trim);
        let (kind, title) = (cells.next().unwrap(), cells.next().unwrap());
        posting(title, kinds(kind), at)
    });
    postings.collect()
}

fn own_headlines(text: &str) -> Vec<Query> {
    let queries = lines(text).filter_map(|line| {
        let (right, headline) = line.split_once('|').unwrap();
        let query = Query {
            headline: headline.trim().to_owned(),
            right: kinds(right),
            near: BTreeSet::new(),
        };
        // What no job of the board is right for has three suggestions nevertheless.
        (!query.right.contains(NOTHING)).then_some(query)
    });
    queries.collect()
}

#[test]
fn the_first_suggestion_is_mostly_what_a_headline_names() {
    let board = own_board();
    let tuned = measure("own, tuned", &board, &own_headlines(TUNED));
    assert!(tuned.first_right >= 0.85, "{tuned:?}");
    let held_out = measure("own, held out", &board, &own_headlines(HELD_OUT));
    assert!(held_out.first_right >= 0.75, "{held_out:?}");
}

#[test]
fn a_title_that_is_the_headline_comes_first_whatever_words_are_added() {
    let board = own_board();
    for line in lines(BOARD).step_by(4) {
        let title = line.split('|').nth(1).unwrap().trim();
        for added in [
            "",
            ", nights",
            " (certified)",
            ", 5 years",
            " - Springfield",
        ] {
            let headline = format!("{title}{added}");
            let found = suggested(&board, &headline);
            let best = found.first().map_or(0, |(fit, _)| fit.score);
            let own = found.iter().find(|(fit, posting)| {
                posting.job.title.as_str().eq_ignore_ascii_case(title)
                    && fit.relevance == Relevance::R1
            });
            assert!(
                own.is_some_and(|(fit, _)| fit.score >= best),
                "{headline}: {:?}",
                found.first()
            );
        }
    }
}

#[test]
fn headlines_of_the_board_have_suggestions() {
    let board = own_board();
    for query in own_headlines(TUNED).iter().chain(&own_headlines(HELD_OUT)) {
        assert!(
            !suggested(&board, &query.headline).is_empty(),
            "{}",
            query.headline
        );
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % count as u64).unwrap()
    }
}

/// O*NET's published tables in a folder.
struct Onet {
    folder: String,
}

impl Onet {
    /// Cells of a table by the names of its columns.
    fn rows(&self, name: &str) -> Vec<HashMap<String, String>> {
        let path = format!("{}/{name}.txt", self.folder);
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let text = String::from_utf8_lossy(&bytes);
        let mut lines = text.trim_start_matches('\u{feff}').lines();
        let names: Vec<_> = lines.next().unwrap().split('\t').collect();
        let row = |line: &str| {
            let cells = names.iter().zip(line.split('\t'));
            cells
                .map(|(name, cell)| ((*name).to_owned(), cell.to_owned()))
                .collect()
        };
        lines.map(row).collect()
    }

    /// The titles of a column by their occupations, without what O*NET adds in brackets.
    fn titles(&self, name: &str, column: &str) -> BTreeMap<String, Vec<String>> {
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in self.rows(name) {
            let mut title = row[column].clone();
            while let Some((before, rest)) = title.split_once('(') {
                let after = rest.split_once(')').map_or("", |(_, after)| after);
                title = format!("{} {}", before.trim_end(), after.trim_start());
            }
            let title = title.trim().to_owned();
            let titles = found.entry(row["O*NET-SOC Code"].clone()).or_default();
            if (3..=90).contains(&title.len()) && title != "n/a" && !titles.contains(&title) {
                titles.push(title);
            }
        }
        found
    }

    /// 300 headlines from all major groups, and postings with other titles of the same occupations and of their minor groups.
    fn sample(&self, seed: u64) -> (Vec<Posting>, Vec<Query>) {
        const HEADLINES: usize = 300;
        let mut random = Random(seed);
        let reported = self.titles("Sample of Reported Titles", "Reported Job Title");
        let alternate = self.titles("Alternate Titles", "Alternate Title");
        let mut codes: HashMap<String, BTreeSet<String>> = HashMap::new();
        for (code, titles) in reported.iter().chain(&alternate) {
            for title in titles {
                codes
                    .entry(title.to_lowercase())
                    .or_default()
                    .insert(code.clone());
            }
        }
        let mut groups: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
        for (code, titles) in &reported {
            let others = alternate.get(code).map_or(0, Vec::len);
            if titles.len() >= 4 && others >= 6 && !code.starts_with("55") {
                groups.entry(&code[..2]).or_default().push(code);
            }
        }
        let mut left = groups.clone();
        let mut taken: Vec<&String> = Vec::new();
        while taken.len() < HEADLINES {
            for codes in left.values_mut() {
                if !codes.is_empty() && taken.len() < HEADLINES {
                    taken.push(codes.swap_remove(random.below(codes.len())));
                }
            }
        }
        let mut near: HashMap<String, BTreeSet<String>> = HashMap::new();
        for row in self.rows("Related Occupations") {
            if row["Relatedness Tier"].starts_with("Primary") {
                let pair = [
                    row["O*NET-SOC Code"].clone(),
                    row["Related O*NET-SOC Code"].clone(),
                ];
                near.entry(pair[0].clone())
                    .or_default()
                    .insert(pair[1].clone());
                near.entry(pair[1].clone())
                    .or_default()
                    .insert(pair[0].clone());
            }
        }
        let mut used = BTreeSet::new();
        let mut pick = |titles: &[String], random: &mut Random| {
            let unused: Vec<_> = titles
                .iter()
                .filter(|title| !used.contains(&title.to_lowercase()))
                .collect();
            let title = (*unused.get(random.below(unused.len().max(1)))?).clone();
            used.insert(title.to_lowercase());
            Some(title)
        };
        let (mut queries, mut titles) = (Vec::new(), Vec::new());
        for (n, code) in taken.iter().enumerate() {
            let pool = if n % 2 == 0 {
                &reported[*code]
            } else {
                &alternate[*code]
            };
            let Some(headline) = pick(pool, &mut random) else {
                continue;
            };
            titles
                .extend(pick(&reported[*code], &mut random).map(|title| (title, (*code).clone())));
            for _ in 0..2 {
                titles.extend(
                    pick(&alternate[*code], &mut random).map(|title| (title, (*code).clone())),
                );
            }
            let minor: Vec<_> = groups[&code[..2]]
                .iter()
                .filter(|other| other[..4] == code[..4])
                .collect();
            let other = (*minor[random.below(minor.len())]).clone();
            let both = [reported[&other].clone(), alternate[&other].clone()].concat();
            titles.extend(pick(&both, &mut random).map(|title| (title, other)));
            let right = codes[&headline.to_lowercase()].clone();
            let related = right
                .iter()
                .flat_map(|code| near.get(code).cloned().unwrap_or_default());
            let mut near: BTreeSet<String> = related.collect();
            near.extend(right.iter().map(|code| code[..4].to_owned()));
            queries.push(Query {
                headline,
                right,
                near,
            });
        }
        let postings = titles.into_iter().zip(0..).map(|((title, code), at)| {
            let mut kinds = codes[&title.to_lowercase()].clone();
            kinds.insert(code);
            kinds.extend(kinds.clone().iter().map(|code| code[..4].to_owned()));
            posting(&title, kinds, at)
        });
        (postings.collect(), queries)
    }
}

/// Reads `ONET`, a folder, and `SEED`; without them there is nothing to measure.
#[test]
fn titles_of_one_occupation_find_each_other() {
    let folder = std::env::var("ONET").unwrap_or_default();
    if folder.is_empty() {
        return;
    }
    let seed = std::env::var("SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let (postings, queries) = Onet { folder }.sample(seed.unwrap_or(1));
    let found = measure("O*NET", &postings, &queries);
    assert!(found.first_right >= 0.5, "{found:?}");
}
