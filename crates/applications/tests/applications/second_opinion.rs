//! A second opinion: the tests of this target once more, against other implementations of DynamoDB over real
//! HTTP and with the SDK's own client. This executable runs itself again with the store's name in
//! [`STORE`]; each test's service then has a database, or an account, of its own there.

use std::process::{Command, Output};

use crate::support::moto::Moto;
use crate::support::stores::{DYNOXIDE, STORE};

/// What is not asked again: this module, what the operations cost, a hundred generated items, and ten thousand. dynoxide counts
/// capacity behind a socket as it does without; moto does not count it, and takes minutes over histories of hundreds.
const LEFT_OUT: [&str; 4] = ["second_opinion::", "costs::", "patches::", "whole_lists::"];

/// What is asked again: keys and order, conditions, transactions, paging and projections, which stores may take otherwise.
/// What the service decides by itself is the same on every store, and takes minutes more: `just second-opinion` asks all of it
/// of dynoxide over HTTP. These are asked of one process of moto, [`LISTS`] of a second one at the same time.
const CHANGES: [&str; 5] = [
    "promises::",
    "create::",
    "update::",
    "lifecycle::",
    "stages::",
];
const LISTS: [&str; 4] = ["history::", "lists::", "cursors::", "counters::"];

/// Tests of these that are not asked of moto: it keeps transactions that meet apart neither by order nor by conflict,
/// so they undo each other by chance. Others write one by one there
/// ([`at_once`](crate::support::stores::at_once)).
const MEETING: [&str; 1] = ["counters::many_writers_keep_the_counters_equal_to_a_full_count"];

/// Tests that fail on moto, each with what moto does otherwise than DynamoDB.
const OF_MOTO: [(&str, &str); 3] = [
    (
        "promises::a_transaction_sent_twice_with_its_token_is_done_once",
        "it remembers no idempotency token",
    ),
    (
        "promises::capacity_is_counted_by_size",
        "it answers the same capacity whatever the size",
    ),
    (
        "counters::a_counter_costs_a_write_where_it_changes_and_nothing_else_does",
        "it answers no capacity for transactions",
    ),
];

/// This executable against `store`.
fn again(store: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("it runs"));
    command.env(STORE, store).env("RUST_BACKTRACE", "0");
    command.args(arguments).output().expect("it runs again")
}

/// Runs the tests with names that contain one of `asked`, but those that are left out and `others`. They must all pass.
fn all_pass<'a>(store: &str, asked: &[&'a str], others: impl IntoIterator<Item = &'a str>) {
    // moto is one thread of Python, however many ask it.
    let mut arguments = [&["--test-threads=4"], asked].concat();
    for name in LEFT_OUT.into_iter().chain(others) {
        arguments.extend(["--skip", name]);
    }
    let output = again(store, &arguments);
    let out = String::from_utf8_lossy(&output.stdout);
    let failures = out.split_once("\nfailures:\n").map_or(&*out, |out| out.1);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "on {store}:\n{failures}\n{err}");
    let result = out.lines().find(|line| line.starts_with("test result:"));
    let result = result.expect("a result");
    assert!(!result.contains(" 0 passed"), "{result}");
    println!("on {store}: {result}");
}

#[test]
fn of_dynoxide_over_http() {
    let asked = [&CHANGES[..], &LISTS].concat();
    all_pass(DYNOXIDE, &asked, []);
}

/// Runs the tests with names that contain one of `asked` against a moto of their own. Those of [`OF_MOTO`] among them
/// must fail.
fn all_pass_on_moto(asked: &[&str]) {
    let Some(moto) = Moto::start() else { return };
    let different = OF_MOTO.into_iter().map(|(name, _)| name);
    all_pass(&moto.endpoint, asked, MEETING.into_iter().chain(different));
    for (name, difference) in OF_MOTO {
        if !asked.iter().any(|asked| name.starts_with(asked)) {
            continue;
        }
        let output = again(&moto.endpoint, &["--exact", name]);
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(
            out.contains("test result: FAILED. 0 passed; 1 failed"),
            "{name} is said to fail on moto because {difference}: take it off the list\n{out}"
        );
    }
}

#[test]
fn of_moto_on_changes() {
    all_pass_on_moto(&CHANGES);
}

#[test]
fn of_moto_on_lists() {
    all_pass_on_moto(&LISTS);
}
