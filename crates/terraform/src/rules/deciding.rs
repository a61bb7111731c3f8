//! Every attribute that decides a finding appears in a comparison: each literal of each example becomes another one, and if
//! that changes what is found, the comparison shows the value before and after.

use std::collections::BTreeSet;
use std::path::Path;

use super::catalog::RULES;
use super::types;
use crate::{Built, Options, difference, file};

/// What takes the place of a text.
const TEXTS: [&str; 6] = ["other", "*", "0.0.0.0/0", "10.0.0.0/8", "Deny", "allUsers"];

/// The other values of a literal; none of what is not a literal.
fn others(literal: &hcl::Expression) -> Vec<hcl::Expression> {
    match literal {
        hcl::Expression::Bool(flag) => vec![hcl::Expression::from(!flag)],
        hcl::Expression::Number(_) => vec![hcl::Expression::from(7_u64)],
        hcl::Expression::String(text) => {
            let texts = TEXTS.iter().filter(|other| *other != text);
            texts.map(|other| hcl::Expression::from(*other)).collect()
        }
        _ => Vec::new(),
    }
}

/// Calls `change` with each expression in a body.
fn each(body: &mut hcl::Body, change: &mut dyn FnMut(&mut hcl::Expression)) {
    for structure in body.iter_mut() {
        match structure {
            hcl::Structure::Attribute(attribute) => inside(&mut attribute.expr, change),
            hcl::Structure::Block(block) => each(&mut block.body, change),
        }
    }
}

fn inside(one: &mut hcl::Expression, change: &mut dyn FnMut(&mut hcl::Expression)) {
    change(one);
    match one {
        hcl::Expression::Array(list) => list.iter_mut().for_each(|one| inside(one, change)),
        hcl::Expression::Object(object) => {
            object.iter_mut().for_each(|(_, one)| inside(one, change));
        }
        hcl::Expression::FuncCall(call) => {
            call.args.iter_mut().for_each(|one| inside(one, change));
        }
        _ => {}
    }
}

/// A body in which one literal is another one, by their places.
fn with_other(body: &hcl::Body, literal: usize, other: usize) -> Option<hcl::Body> {
    let mut body = body.clone();
    let (mut count, mut is_done) = (0, false);
    each(&mut body, &mut |one| {
        let others = others(one);
        if others.is_empty() {
            return;
        }
        if count == literal
            && let Some(other) = others.get(other)
        {
            *one = other.clone();
            is_done = true;
        }
        count += 1;
    });
    is_done.then_some(body)
}

fn literals(body: &hcl::Body) -> usize {
    let mut count = 0;
    each(&mut body.clone(), &mut |one| {
        count += usize::from(!others(one).is_empty());
    });
    count
}

fn built(body: &hcl::Body, options: &Options) -> Option<Built> {
    let text = hcl::to_string(body).unwrap();
    file("main.tf", text.as_bytes(), options).ok()
}

/// What rules say: the rule, the node, and the severity if it is found.
fn said(built: &Built) -> BTreeSet<(String, String, String)> {
    let found = built.findings.iter().map(|one| {
        let severity = one.severity.word().to_owned();
        (one.rule.to_owned(), one.node.clone(), severity)
    });
    let undecided = built.undecided_notes().map(|note| {
        let rule = note.rule.unwrap_or_default().to_owned();
        (rule, note.node.clone(), String::new())
    });
    found.chain(undecided).collect()
}

/// Whether a comparison shows a value before and after, and not only that something has changed.
fn shows(before: &Built, after: &Built) -> bool {
    let difference = difference(before, after);
    !difference.changed.is_empty()
}

/// What is not shown of a configuration; `count` counts what changes a finding.
fn hidden(name: &str, text: &str, count: &mut usize) -> Vec<String> {
    // Another parser may not take what ours does, or write it as it was.
    let Ok(body) = hcl::parse(text) else {
        return Vec::new();
    };
    let options = Options::default();
    let Some(before) = built(&body, &options) else {
        return Vec::new();
    };
    let mut hidden = Vec::new();
    for literal in 0..literals(&body) {
        for (other, text) in TEXTS.iter().enumerate() {
            let Some(changed) = with_other(&body, literal, other) else {
                break;
            };
            let Some(after) = built(&changed, &options) else {
                continue;
            };
            let is_same = before.nodes.keys().eq(after.nodes.keys());
            if !is_same || said(&before) == said(&after) {
                continue;
            }
            *count += 1;
            if !shows(&before, &after) {
                hidden.push(format!("{name}: literal {literal}, {text}"));
                break;
            }
        }
    }
    hidden
}

#[test]
fn what_decides_an_example_of_a_type_is_shown_before_and_after() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for row in types::all().filter(|row| !row.bad.is_empty()) {
        for body in [row.bad, row.good] {
            let text = format!("resource \"{}\" \"a\" {{\n{body}\n}}\n", row.name);
            wrong.extend(hidden(row.name, &text, &mut count));
        }
    }
    assert!(count > 200, "{count} literals decide");
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn what_decides_an_example_of_a_rule_is_shown_before_and_after() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for rule in RULES {
        for text in [rule.bad, rule.good] {
            wrong.extend(hidden(rule.id, text, &mut count));
        }
    }
    assert!(count > 20, "{count} literals decide");
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn what_decides_a_judged_setup_is_shown_before_and_after() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/terraform/judged");
    for setup in std::fs::read_dir(folder).unwrap() {
        let path = setup.unwrap().path().join("main.tf");
        let text = std::fs::read_to_string(&path).unwrap();
        wrong.extend(hidden(&path.to_string_lossy(), &text, &mut count));
    }
    assert!(count > 200, "{count} literals decide");
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The resources of a configuration whose removal changes what is said of others, and is not named by a comparison.
fn unnamed(name: &str, text: &str, count: &mut usize) -> Vec<String> {
    let Ok(body) = hcl::parse(text) else {
        return Vec::new();
    };
    let options = Options::default();
    let Some(before) = built(&body, &options) else {
        return Vec::new();
    };
    let blocks: Vec<_> = body.iter().cloned().collect();
    let mut unnamed = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        let hcl::Structure::Block(block) = block else {
            continue;
        };
        let [kind, label] = block.labels.as_slice() else {
            continue;
        };
        if block.identifier() != "resource" {
            continue;
        }
        let mut rest = blocks.clone();
        rest.remove(at);
        let Some(after) = built(&hcl::Body::from(rest), &options) else {
            continue;
        };
        let of = format!("{}.{}", kind.as_str(), label.as_str());
        let (mut one, mut other) = (said(&before), said(&after));
        for said in [&mut one, &mut other] {
            said.retain(|(_, node, _)| !node.starts_with(&of));
        }
        if one == other {
            continue;
        }
        *count += 1;
        let difference = difference(&before, &after);
        if !difference.removed.iter().any(|id| id.starts_with(&of)) {
            unnamed.push(format!("{name}: {of}"));
        }
    }
    unnamed
}

#[test]
fn a_resource_that_decides_about_another_one_is_named_if_it_is_gone() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for row in types::all().filter(|row| !row.bad.is_empty()) {
        for body in [row.bad, row.good] {
            let text = format!("resource \"{}\" \"a\" {{\n{body}\n}}\n", row.name);
            wrong.extend(unnamed(row.name, &text, &mut count));
        }
    }
    for rule in RULES {
        for text in [rule.bad, rule.good] {
            wrong.extend(unnamed(rule.id, text, &mut count));
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/terraform/judged");
    for setup in std::fs::read_dir(folder).unwrap() {
        let path = setup.unwrap().path().join("main.tf");
        let text = std::fs::read_to_string(&path).unwrap();
        wrong.extend(unnamed(&path.to_string_lossy(), &text, &mut count));
    }
    assert!(count > 50, "{count} resources decide about others");
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
