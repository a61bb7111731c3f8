//! Each row with its examples: what its bad one finds, and that its good one is clear.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::{ResourceType, all};
use crate::rules::encryption::Encryption;
use crate::rules::table::Test;
use crate::{Format, Options, run};

/// The report of the inside of a block of a type.
pub fn report(name: &str, body: &str) -> Json {
    let text = format!("resource \"{name}\" \"a\" {{\n{body}\n}}\n");
    let made = run(text.as_bytes(), Format::Hcl, &Options::default());
    let made = made.unwrap_or_else(|error| panic!("{error}: {text}"));
    serde_json::from_slice(&made.report).unwrap()
}

/// The rules that say something of a node in a list of a report, or of any node.
fn said<'r>(report: &'r Json, lists: &[&str], node: Option<&str>) -> BTreeSet<&'r str> {
    let all = lists
        .iter()
        .flat_map(|list| report[list].as_array().unwrap());
    let of_node = all.filter(|one| node.is_none_or(|node| one["node"] == node));
    of_node.filter_map(|one| one["rule"].as_str()).collect()
}

/// The rules that a row has something to find for. One of each list is enough.
fn rules(row: &ResourceType) -> Vec<Vec<&'static str>> {
    let mut rules = Vec::new();
    let is_decided = !row
        .exposed
        .iter()
        .any(|test| matches!(test, Test::Undecided(_)));
    if is_decided && (!row.exposed.is_empty() || row.name == "aws_ecs_service") {
        rules.push(vec!["internet-exposed", "public-datastore"]);
    }
    if !matches!(row.encrypted, None | Some(Encryption::Always)) {
        rules.push(vec!["unencrypted-datastore"]);
    }
    rules.extend(row.facts.iter().map(|fact| vec![fact.rule]));
    if row.policy.is_some() {
        rules.push(vec!["public-policy"]);
    }
    if row.grants.is_some() || row.attaches.is_some() {
        rules.push(vec!["iam-admin"]);
    }
    rules
}

#[test]
fn every_row_finds_its_bad_example_and_clears_its_good_one() {
    let mut wrong = Vec::new();
    for row in all() {
        let expected = rules(row);
        if row.bad.is_empty() {
            if !expected.is_empty() {
                wrong.push(format!("{}: no example for {expected:?}", row.name));
            }
            continue;
        }
        let bad = report(row.name, row.bad);
        let found = said(&bad, &["findings"], None);
        for one_of in expected {
            if !one_of.iter().any(|rule| found.contains(rule)) {
                wrong.push(format!("{}: bad: {one_of:?} is not in {found:?}", row.name));
            }
        }
        let is_said = !said(&bad, &["findings", "unresolved", "notes"], None).is_empty();
        if !is_said {
            wrong.push(format!("{}: bad: nothing is said", row.name));
        }
        let good = report(row.name, row.good);
        let node = format!("{}.a", row.name);
        let said = said(&good, &["findings", "unresolved", "notes"], Some(&node));
        if !said.is_empty() && !row.good.is_empty() {
            wrong.push(format!("{}: good: {said:?}", row.name));
        }
        if good["notLookedAt"] != serde_json::json!([]) {
            wrong.push(format!("{}: it is not looked at", row.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_rows_are_sorted() {
    for rows in super::ALL {
        assert!(rows.is_sorted_by(|one, other| one.name < other.name));
    }
}

/// What a rule about exposure says of the first block.
fn exposure(report: &Json, node: &str) -> &'static str {
    let rules = ["internet-exposed", "public-datastore"];
    for (list, word) in [("findings", "found"), ("unresolved", "undecided")] {
        let said = said(report, &[list], Some(node));
        if said.iter().any(|rule| rules.contains(rule)) {
            return word;
        }
    }
    "clear"
}

#[test]
fn public_networks_have_no_access_if_the_flag_or_the_word_says_so() {
    let mut count = 0;
    for row in all().filter(|row| row.exposed.contains(&super::PUBLIC_NETWORK)) {
        let node = format!("{}.a", row.name);
        // Only what the example says of it is another value here.
        let body = row.bad.replace("public_network_access_enabled = true", "");
        let open = exposure(&report(row.name, &body), &node);
        for (argument, expected) in [
            ("public_network_access = \"Disabled\"", "clear"),
            ("public_network_access = \"SecuredByPerimeter\"", "clear"),
            ("public_network_access_enabled = false", "clear"),
            ("public_network_access_enabled = true", open),
            ("public_network_access = \"Enabled\"", open),
            ("public_network_access = var.x", "undecided"),
            ("public_network_access_enabled = var.x", "undecided"),
        ] {
            let report = report(row.name, &format!("{argument}\n{body}"));
            let expected = if open == "clear" { "clear" } else { expected };
            assert_eq!(
                exposure(&report, &node),
                expected,
                "{}: {argument}",
                row.name
            );
        }
        count += usize::from(open == "found");
    }
    assert!(count > 10, "{count}");
}
