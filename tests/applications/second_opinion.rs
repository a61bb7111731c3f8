//! A second opinion: the tests of this target once more, against other implementations of DynamoDB over real
//! HTTP and with the SDK's own client. This executable runs itself again with the store's name in
//! [`STORE`]; each test's service then has a database, or an account, of its own there.

use std::process::{Command, Output};

use crate::support::moto::Moto;
use crate::support::stores::{DYNOXIDE, STORE};

/// What is not asked again: this module, what the operations cost, and a hundred generated items. dynoxide counts
/// capacity behind a socket as it does without; moto does not count it, and takes minutes over histories of hundreds.
const LEFT_OUT: [&str; 3] = ["second_opinion::", "costs::", "patches::"];

/// Tests that are not asked of moto: it keeps transactions that meet apart neither by order nor by conflict,
/// so they undo each other by chance. Others write one by one there
/// ([`at_once`](crate::support::stores::at_once)). It copies the whole table for each transaction, so those with many
/// transactions take it minutes.
const MEETING: [&str; 5] = [
    "counters::many_writers_keep_the_counters_equal_to_a_full_count",
    "contention::",
    "batches::",
    "orders::",
    "agenda::",
];

/// Tests that fail on moto, each with what moto does otherwise than DynamoDB.
const OF_MOTO: [(&str, &str); 4] = [
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
    (
        "insight::insight_costs_half_a_unit_for_each_item_that_is_selected",
        "it answers the same capacity whatever is read",
    ),
];

/// This executable against `store`.
fn again(store: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("it runs"));
    command.env(STORE, store).env("RUST_BACKTRACE", "0");
    command.args(arguments).output().expect("it runs again")
}

/// Runs all tests but those that are left out and `others`, which must all pass.
fn all_pass<'a>(store: &str, others: impl IntoIterator<Item = &'a str>) {
    // moto is one thread of Python, however many ask it.
    let mut arguments = vec!["--test-threads=4"];
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
    all_pass(DYNOXIDE, []);
}

#[test]
fn of_moto() {
    let Some(moto) = Moto::start() else { return };
    let different = OF_MOTO.into_iter().map(|(name, _)| name);
    all_pass(&moto.endpoint, MEETING.into_iter().chain(different));
    for (name, difference) in OF_MOTO {
        let output = again(&moto.endpoint, &["--exact", name]);
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(
            out.contains("test result: FAILED. 0 passed; 1 failed"),
            "{name} is said to fail on moto because {difference}: take it off the list\n{out}"
        );
    }
}
