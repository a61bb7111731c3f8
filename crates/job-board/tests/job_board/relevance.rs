//! How relevant suggestions are: postings and seekers that were written for it, and which of them fit. `just relevance`
//! prints the table.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::board::{Board, ERIN, nodes, text};

const POSTINGS: &str = include_str!("relevance/postings.txt");
const SEEKERS: &str = include_str!("relevance/seekers.txt");

/// The cells of the lines that are no comments.
fn rows(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect();
    lines.map(cells).collect()
}

fn listed(cell: &str) -> Vec<String> {
    let entries = cell.split(',').map(|entry| entry.trim().to_owned());
    entries.filter(|entry| !entry.is_empty()).collect()
}

/// Counts of suggestions at a level, or at several.
#[derive(Default)]
struct Counts {
    right: usize,
    wrong: usize,
    /// Obvious ones among the right ones.
    obvious: usize,
}

impl Counts {
    fn precision(&self) -> f64 {
        self.right as f64 / (self.right + self.wrong).max(1) as f64
    }
}

#[tokio::test]
async fn suggestions_are_relevant() {
    let board = Board::start().await;
    let place = json!([{ "city": "Austin, TX", "country": "US" }]);
    let mut families = BTreeMap::new();
    for row in rows(POSTINGS) {
        let posting = json!({
            "company": "Acme", "title": row[1], "skills": listed(&row[2]), "places": place,
            "description": row.get(3).filter(|text| !text.is_empty()),
        });
        let id = board.post(ERIN, posting).await;
        families.insert(id, (row[0].clone(), row[1].clone()));
    }
    let mut levels: BTreeMap<String, Counts> = BTreeMap::new();
    let mut expected = 0;
    for row in rows(SEEKERS) {
        let viewer = format!("{} write seeker", row[0]);
        let profile = json!({
            "name": row[0], "headline": row[1], "skills": listed(&row[2]),
            "places": [{ "city": "Austin", "region": "Texas", "country": "US" }],
        });
        board.save(&viewer, profile).await;
        board.make().await;
        let obvious: BTreeSet<_> = listed(&row[3]).into_iter().collect();
        let also: BTreeSet<_> = listed(&row[4]).into_iter().collect();
        // An internship fits who looks for one, or for a position to begin with, and nobody else.
        let is_beginner = ["intern", "entry", "junior", "student"]
            .iter()
            .any(|word| row[1].to_lowercase().contains(word));
        let fits = |of: &BTreeSet<String>, (family, title): &(String, String)| {
            of.contains(family) && (is_beginner || !title.ends_with("Intern"))
        };
        expected += families
            .values()
            .filter(|posting| fits(&obvious, posting))
            .count();
        let list = "{ suggestions(first: 100) { edges { node { relevance score job { id } } } } }";
        let found = board.data(&viewer, list, Value::Null).await;
        let mut missed: BTreeSet<_> = families
            .values()
            .filter(|posting| fits(&obvious, posting))
            .map(|(_, title)| title.clone())
            .collect();
        for suggestion in nodes(&found["suggestions"]) {
            let posting = &families[&text(&suggestion["job"]["id"])];
            let (_, title) = posting;
            let level = text(&suggestion["relevance"]);
            let counts = levels.entry(level.clone()).or_default();
            let is_obvious = fits(&obvious, posting);
            if is_obvious || fits(&also, posting) {
                counts.right += 1
            } else {
                counts.wrong += 1;
                println!("{}: {level} {} wrong: {title}", row[1], suggestion["score"]);
            }
            counts.obvious += usize::from(is_obvious);
            if is_obvious && level != "R3" {
                missed.remove(title);
            }
        }
        for title in missed {
            println!("{}: not in R1 or R2: {title}", row[1]);
        }
    }
    println!("level  suggested  precision  recall of obvious matches");
    let mut upper = Counts::default();
    for (level, counts) in &levels {
        println!(
            "{level}     {:>9}  {:>9.2}  {:.2}",
            counts.right + counts.wrong,
            counts.precision(),
            counts.obvious as f64 / expected as f64
        );
        if level != "R3" {
            upper.right += counts.right;
            upper.wrong += counts.wrong;
            upper.obvious += counts.obvious;
        }
    }
    let recall = upper.obvious as f64 / expected as f64;
    println!(
        "R1+R2  {:>9}  {:>9.2}  {recall:.2}",
        upper.right + upper.wrong,
        upper.precision()
    );
    let best = levels["R1"].precision();
    assert!(best >= 0.75, "precision of R1 {best:.2}");
    assert!(
        upper.precision() >= 0.6,
        "precision {:.2}",
        upper.precision()
    );
    assert!(recall >= 0.65, "recall {recall:.2}");
}
