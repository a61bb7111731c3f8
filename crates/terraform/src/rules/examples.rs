//! Each rule against its examples, and against its bad example with every argument unknown in turn.

use serde_json::Value as Json;

use super::catalog::RULES;
use crate::{Format, Options, run};

/// What an unknown value looks like in files.
const UNKNOWN: [&str; 7] = [
    "var.unknown",
    "split(\",\", var.unknown)",
    "formatlist(\"%s/32\", var.unknown)",
    "try(var.unknown.a, null)",
    "coalesce(\"\", var.unknown)",
    "lookup(var.unknown, \"a\", null)",
    "[for one in var.unknown : one]",
];

/// The rule's counts in the report of a file.
fn counts(text: &str, rule: &str) -> (u64, u64, u64) {
    let made = run(text.as_bytes(), Format::Hcl, &Options::default())
        .unwrap_or_else(|e| panic!("{e}: {text}"));
    let report: Json = serde_json::from_slice(&made.report).unwrap();
    let mut rules = report["rules"].as_array().unwrap().iter();
    let counted = rules.find(|one| one["rule"] == rule).unwrap();
    let count = |name: &str| counted[name].as_u64().unwrap();
    (count("found"), count("undecided"), count("clear"))
}

/// How many arguments and elements a body has; `replace` names the one that becomes unknown.
fn mutate(body: &mut hcl::Body, count: &mut usize, replace: usize, with: &hcl::Expression) {
    let with_dynamic = |block: &hcl::Block| {
        hcl::Block::builder("dynamic")
            .add_label(block.identifier())
            .add_attribute(("for_each", with.clone()))
            .add_block(
                hcl::Block::builder("content")
                    .add_structures(block.body.clone())
                    .build(),
            )
            .build()
    };
    for structure in body.iter_mut() {
        match structure {
            hcl::Structure::Attribute(attribute) => {
                expression(&mut attribute.expr, count, replace, with);
            }
            hcl::Structure::Block(block) => {
                let is_top = !block.labels.is_empty();
                if !is_top {
                    *count += 1;
                    if *count == replace {
                        *block = with_dynamic(block);
                        continue;
                    }
                }
                mutate(&mut block.body, count, replace, with);
            }
        }
    }
}

fn expression(
    one: &mut hcl::Expression,
    count: &mut usize,
    replace: usize,
    with: &hcl::Expression,
) {
    *count += 1;
    if *count == replace {
        *one = with.clone();
        return;
    }
    match one {
        hcl::Expression::Array(list) => {
            list.iter_mut()
                .for_each(|one| expression(one, count, replace, with));
        }
        hcl::Expression::Object(object) => {
            object
                .iter_mut()
                .for_each(|(_, one)| expression(one, count, replace, with));
        }
        hcl::Expression::FuncCall(call) => {
            call.args
                .iter_mut()
                .for_each(|one| expression(one, count, replace, with));
        }
        _ => {}
    }
}

#[test]
fn every_rule_has_examples_that_it_decides() {
    for rule in RULES {
        assert!(
            !rule.bad.trim().is_empty() && !rule.good.trim().is_empty(),
            "{}",
            rule.id
        );
        let (found, ..) = counts(rule.bad, rule.id);
        assert!(found > 0, "{}: the bad example has no finding", rule.id);
        let (found, undecided, _) = counts(rule.good, rule.id);
        assert_eq!((found, undecided), (0, 0), "{}: the good example", rule.id);
    }
}

#[test]
fn an_argument_that_is_unknown_never_clears_a_rule() {
    for rule in RULES {
        for unknown in UNKNOWN {
            let with: hcl::Expression = unknown.parse().unwrap();
            let mut replace = 1;
            loop {
                let mut body = hcl::parse(rule.bad).unwrap();
                let mut count = 0;
                mutate(&mut body, &mut count, replace, &with);
                if count < replace {
                    break;
                }
                let text = format!(
                    "variable \"unknown\" {{}}\n{}",
                    hcl::to_string(&body).unwrap()
                );
                let (found, undecided, _) = counts(&text, rule.id);
                assert!(
                    found + undecided > 0,
                    "{}: nothing is said of\n{text}",
                    rule.id
                );
                replace += 1;
            }
        }
    }
}
