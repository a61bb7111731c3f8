//! Which job is suggested first for headlines as people of ordinary trades write them, among the jobs of an ordinary board.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::board::{Board, ERIN, nodes, text};

use super::{listed, rows};

const BOARD: &str = include_str!("board.txt");
/// Those that the lists of names were tuned on.
const TUNED: &str = include_str!("headlines_tuned.txt");
/// Those that were kept back until the lists were done.
const HELD_OUT: &str = include_str!("headlines_held_out.txt");
/// What is expected of a headline that names no job of the board.
const NOTHING: &str = "nothing";

/// The headlines of a file, each with the kinds of jobs of which one is right.
fn headlines(file: &str) -> Vec<(Vec<String>, &str)> {
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    let cells = lines.map(|line| line.split_once('|').unwrap());
    cells
        .map(|(kinds, headline)| (listed(kinds), headline.trim()))
        .collect()
}

/// The share of headlines for which the first suggestion is right. Prints the others.
async fn right_share(board: &Board, kinds: &BTreeMap<String, String>, file: &str) -> f64 {
    let headlines = headlines(file);
    let viewer = |at: usize| format!("seeker{at} write seeker");
    for (at, (_, headline)) in headlines.iter().enumerate() {
        let profile = json!({
            "name": "Ann", "headline": headline, "places": [{ "city": "Austin, TX", "country": "US" }],
        });
        board.save(&viewer(at), profile).await;
    }
    board.make().await;
    let list =
        "{ suggestions(first: 1) { edges { node { score reasons { text } job { title } } } } }";
    let mut right = 0;
    for (at, (expected, headline)) in headlines.iter().enumerate() {
        let list = board.data(&viewer(at), list, Value::Null).await;
        let first = nodes(&list["suggestions"]).into_iter().next();
        let title = first.as_ref().map(|first| text(&first["job"]["title"]));
        let kind = title.as_ref().map_or(NOTHING, |title| &kinds[title]);
        match expected.iter().any(|expected| expected == kind) {
            true => right += 1,
            false => println!(
                "{headline} ({}): {}",
                expected.join(", "),
                first.map_or(NOTHING.to_owned(), |first| format!(
                    "{} {} {}",
                    first["job"]["title"], first["score"], first["reasons"]
                ))
            ),
        }
    }
    let share = f64::from(right) / headlines.len() as f64;
    println!(
        "first suggestion right: {right} of {}, {share:.2}",
        headlines.len()
    );
    share
}

async fn share_of(file: &str) -> f64 {
    let board = Board::start().await;
    let mut kinds = BTreeMap::new();
    for row in rows(BOARD) {
        let posting = json!({
            "company": "Acme", "title": row[1], "places": [{ "city": "Austin, TX", "country": "US" }],
            "description": row.get(2).filter(|text| !text.is_empty()),
        });
        board.post(ERIN, posting).await;
        kinds.insert(row[1].clone(), row[0].clone());
    }
    right_share(&board, &kinds, file).await
}

#[tokio::test]
async fn the_first_suggestion_is_what_a_headline_names() {
    let share = share_of(TUNED).await;
    assert!(share >= 0.95, "{share:.2}");
}

#[tokio::test]
async fn the_first_suggestion_is_what_a_headline_names_that_was_held_out() {
    let share = share_of(HELD_OUT).await;
    assert!(share >= 0.9, "{share:.2}");
}
