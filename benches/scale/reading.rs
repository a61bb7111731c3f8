//! The same questions asked of every size: what they cost must be equal, how long they take is reported.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use trestle_dynamodb::Embedded;

use crate::support::documents::{
    DETAIL, DETAIL_ALONE, DETAIL_WITH_STAGES, LIST, LIST_OF_STATUS, LIST_WITH_STAGES,
};
use crate::support::fill::{self, Template};
use crate::support::{Api, Cost, Question, stepping};

/// How much slower the largest may answer than the smallest.
const TARGET: f64 = 1.2;
/// The lengths of history, the shortest first.
const HISTORIES: [usize; 4] = [1, 100, 1_000, 10_000];
/// How many applications, or places in a list, a question goes round: of the longest histories, fewer.
const COPIES: usize = 16;

/// A question of one table.
type Ask = for<'a> fn(&'a Filled) -> Column<'a>;

/// A table that was filled.
struct Filled {
    api: Api,
    /// Of some or all of [`HISTORIES`], the ids of the applications that have it.
    ids: Vec<Vec<String>>,
    /// Cursors in the middle of the list.
    middle: Vec<Value>,
    _folder: TempDir,
}

/// One question, asked of several sizes.
struct Series<'a> {
    name: &'static str,
    columns: Vec<Column<'a>>,
    /// Whether the smallest column has less to answer: it is shown and not compared.
    first_is_less: bool,
}

/// The question's variants for one size, asked in turn, and what came of them.
struct Column<'a> {
    api: &'a Api,
    questions: Vec<Question>,
    cost: Option<Cost>,
    times: Vec<Duration>,
    differed: bool,
}

/// Fills, asks and prints. Whether calls and capacity were equal.
pub async fn run(counts: &[usize], rounds: usize) -> bool {
    let template = Template::with_history(HISTORIES[HISTORIES.len() - 1]).await;
    let mut tables = Vec::new();
    let (largest, rest) = counts.split_last().expect("a size");
    for count in counts {
        let began = Instant::now();
        let histories = if count == largest {
            &HISTORIES[..]
        } else {
            &HISTORIES[..2]
        };
        tables.push(Filled::new(*count, &template, histories).await);
        eprintln!("{count} applications after {:.1?}", began.elapsed());
    }
    let mut by_table = by_table(&tables);
    let mut by_history = by_history(&tables[tables.len() - 1]);
    for round in 0..rounds {
        for series in by_table.iter_mut().chain(&mut by_history) {
            series.ask(round).await;
        }
    }
    println!("Tables of {rest:?} and {largest} applications, {rounds} rounds, medians in µs:\n");
    let equal = print(&by_table, counts);
    println!("Histories of {HISTORIES:?} entries in the table of {largest}, medians in µs:\n");
    print(&by_history, &HISTORIES) && equal
}

impl Filled {
    async fn new(count: usize, template: &Template, histories: &[usize]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Embedded::open(folder.path()).expect("the store opens");
        let api = Api::new(store.client(), stepping(2026)).await;
        let mut ids = Vec::new();
        for entries in histories {
            let copies = COPIES.min(20_000 / entries);
            ids.push(template.put(&api, *entries, copies).await);
        }
        fill::applications(&api, count).await;
        let middle = fill::middle(&api, count, COPIES).await;
        Self {
            api,
            ids,
            middle,
            _folder: folder,
        }
    }

    fn column(&self, document: &str, variables: impl IntoIterator<Item = Value>) -> Column<'_> {
        let questions = variables.into_iter();
        Column {
            api: &self.api,
            questions: questions.map(|v| Question::new(document, &v)).collect(),
            cost: None,
            times: Vec::new(),
            differed: false,
        }
    }

    /// Pages of 20 behind each of these cursors.
    fn pages(&self, document: &str, after: &[Value]) -> Column<'_> {
        let each = after.iter();
        self.column(
            document,
            each.map(|after| json!({ "first": 20, "after": after })),
        )
    }

    fn details(&self, document: &str, history: usize) -> Column<'_> {
        let ids = self.ids[history].iter();
        self.column(document, ids.map(|id| json!({ "id": id })))
    }
}

/// What is asked of each table.
const QUESTIONS: [(&str, Ask); 6] = [
    ("first 20", |table| table.pages(LIST, &[Value::Null])),
    ("first 20 with stages", |table| {
        table.pages(LIST_WITH_STAGES, &[Value::Null])
    }),
    ("20 from the middle on", |table| {
        table.pages(LIST, &table.middle)
    }),
    ("first 20 of one status", |table| {
        table.pages(LIST_OF_STATUS, &[Value::Null])
    }),
    ("detail, stages, 20 of 100 entries", |table| {
        table.details(DETAIL, 1)
    }),
    ("detail alone", |table| table.details(DETAIL_ALONE, 1)),
];

fn by_table(tables: &[Filled]) -> Vec<Series<'_>> {
    let series = QUESTIONS.iter().map(|(name, ask)| Series {
        name,
        columns: tables.iter().map(ask).collect(),
        first_is_less: false,
    });
    series.collect()
}

fn by_history(table: &Filled) -> Vec<Series<'_>> {
    let columns = |document| {
        let each = 0..HISTORIES.len();
        each.map(|history| table.details(document, history))
            .collect()
    };
    vec![
        Series {
            name: "detail, stages, newest 20 entries",
            columns: columns(DETAIL),
            first_is_less: true,
        },
        Series {
            name: "detail with stages",
            columns: columns(DETAIL_WITH_STAGES),
            first_is_less: false,
        },
        Series {
            name: "detail alone",
            columns: columns(DETAIL_ALONE),
            first_is_less: false,
        },
    ]
}

impl Series<'_> {
    /// Asks each size once, in an order that changes with the round.
    async fn ask(&mut self, round: usize) {
        let columns = self.columns.len();
        for place in 0..columns {
            self.columns[(round + place) % columns].ask(round).await;
        }
    }

    /// The columns that are compared.
    fn compared(&self) -> &[Column<'_>] {
        &self.columns[usize::from(self.first_is_less)..]
    }

    fn is_equal(&self) -> bool {
        let compared = self.compared();
        let same = compared.windows(2).all(|two| two[0].cost == two[1].cost);
        same && self.columns.iter().all(|column| !column.differed)
    }

    /// The largest size's median by the smallest's.
    fn ratio(&self) -> f64 {
        let compared = self.compared();
        let micros = |column: &Column<'_>| column.median().as_secs_f64();
        micros(&compared[compared.len() - 1]) / micros(&compared[0])
    }
}

impl Column<'_> {
    async fn ask(&mut self, round: usize) {
        let question = &self.questions[round % self.questions.len()];
        let began = Instant::now();
        let (_, cost) = self.api.ask(question).await;
        self.times.push(began.elapsed());
        let first = *self.cost.get_or_insert(cost);
        self.differed |= first != cost;
    }

    fn median(&self) -> Duration {
        let mut times = self.times.clone();
        times.sort_unstable();
        times[times.len() / 2]
    }
}

/// A table of the medians. Whether calls and capacity were equal.
fn print(all: &[Series<'_>], sizes: &[usize]) -> bool {
    let heads: String = sizes.iter().map(|size| format!(" {size} |")).collect();
    println!("| question | calls | capacity |{heads} largest / smallest |");
    println!("|---|---|---|{}", "--:|".repeat(sizes.len() + 1));
    let mut equal = true;
    for series in all {
        let text = |of: fn(Cost) -> String| {
            let mut texts: Vec<_> = series
                .columns
                .iter()
                .filter_map(|c| c.cost)
                .map(of)
                .collect();
            texts.dedup();
            texts.join(", ")
        };
        let (calls, units) = (text(|c| c.calls.to_string()), text(|c| c.units.to_string()));
        let medians = series.columns.iter().map(|column| column.median());
        let medians: String = medians.map(|m| format!(" {} |", m.as_micros())).collect();
        let ratio = series.ratio();
        let missed = if ratio > TARGET {
            " (target missed)"
        } else {
            ""
        };
        let name = series.name;
        println!("| {name} | {calls} | {units} |{medians} {ratio:.2}{missed} |");
        if !series.is_equal() {
            equal = false;
            println!(
                "| **{name}: calls or capacity differ** |||{}|",
                "|".repeat(sizes.len())
            );
        }
    }
    println!();
    equal
}
