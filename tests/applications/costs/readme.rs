//! README.md's table of costs, which is made from what was measured.

use std::fmt::Write as _;

use super::fixture::{ENTRIES, STAGES, Sizes};
use super::{Cost, Line};

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
/// The table stands between these two.
const BEGIN: &str = "<!-- costs: `just costs` writes what stands here -->\n";
const END: &str = "<!-- end of costs -->\n";

/// How the table is written anew.
const BLESS: &str = "TRESTLE_BLESS=1 cargo test --locked --test applications costs::";

/// The table with what is to be known of it.
pub fn rendered(table: &[Line], sizes: &Sizes) -> String {
    let mut text = String::from("| operation | calls | small | large |\n|---|---|---|---|\n");
    for line in table {
        writeln!(
            text,
            "| {} | {} | {} | {} |",
            line.label,
            calls(&line.small, &line.large),
            units(&line.small),
            units(&line.large)
        )
        .unwrap();
    }
    write!(
        text,
        "
Capacity is in read (r) and write (w) units, as the embedded store counts it. Item sizes are fixed: an
application takes {} bytes, a stage {}, a history entry {} without stages and {} with {STAGES}.

- **Small**: an application with one entry of history and no stages (two for what is done to stages); a page of one.
- **Large**: the same application with {ENTRIES} entries and {STAGES} stages; a page of 100 such.

¹ `history(first: 20)`. The GetItem is made where the partition holds more than is read of its end: 30 stages and one
entry more than was asked for.
² Small: to what it is now but for the notes. Large: to what it was with all its {STAGES} stages.
³ Small: this week. Large: the last 104, which lie in three years.
",
        sizes.application, sizes.stage, sizes.entry, sizes.large_entry
    )
    .unwrap();
    text
}

/// The calls of both sizes, as one where they are equal.
fn calls(small: &Cost, large: &Cost) -> String {
    let count = |cost: &Cost, name: &str| {
        let found = cost.calls.iter().find(|(called, _)| *called == name);
        found.map_or(0, |(_, count)| *count)
    };
    let longer = if large.calls.len() < small.calls.len() {
        small
    } else {
        large
    };
    let each = longer.calls.iter().map(|(name, _)| {
        let (few, many) = (count(small, name), count(large, name));
        if few == many {
            format!("{few} {name}")
        } else {
            format!("{few} to {many} {name}")
        }
    });
    let each: Vec<_> = each.collect();
    if each.is_empty() {
        return "none".to_owned();
    }
    each.join(", ")
}

fn units(cost: &Cost) -> String {
    match (cost.read_units, cost.write_units) {
        (0.0, 0.0) => "0".to_owned(),
        (read, 0.0) => format!("{read} r"),
        (0.0, write) => format!("{write} w"),
        (read, write) => format!("{read} r, {write} w"),
    }
}

/// Compares the README's table with `table`, or with `TRESTLE_BLESS` set writes it there.
pub fn compare(table: &str) {
    let readme = std::fs::read_to_string(README).unwrap();
    let (before, rest) = readme
        .split_once(BEGIN)
        .expect("README.md has the table's beginning");
    let (told, after) = rest.split_once(END).expect("README.md has the table's end");
    if told == table {
        return;
    }
    if std::env::var_os("TRESTLE_BLESS").is_some() {
        std::fs::write(README, [before, BEGIN, table, END, after].concat()).unwrap();
        return;
    }
    let only_in = |one: &str, other: &str, sign: &str| {
        let lines = one
            .lines()
            .filter(|line| !other.lines().any(|known| known == *line));
        lines
            .map(|line| format!("{sign} {line}\n"))
            .collect::<String>()
    };
    panic!(
        "README.md does not tell what operations cost now. Where the change is meant, `just costs` ({BLESS}) \
         writes it there.\n{}{}",
        only_in(told, table, "README.md:"),
        only_in(table, told, "measured: ")
    );
}
