//! `for` expressions with a line break at every place where Terraform takes one.

use crate::unclear::assert_outcome;

/// Expressions as their tokens; each is true.
const EXPRESSIONS: [&[&str]; 6] = [
    &[
        "{", "for", "k", "in", "[", "\"x\"", "]", ":", "k", "=>", "true", "&&", "true", "}",
        "[\"x\"]",
    ],
    &[
        "{", "for", "k", ",", "v", "in", "{", "x", "=", "true", "}", ":", "\"${k}\"", "=>", "v",
        "||", "false", "if", "k", "==", "\"x\"", "&&", "v", "}", "[\"x\"]",
    ],
    &[
        "{", "for", "k", "in", "true", "?", "[", "\"x\"", "]", ":", "[", "]", ":", "k", "=>", "k",
        "==", "\"y\"", "?", "false", ":", "!false", "}", "[\"x\"]",
    ],
    &[
        "[", "for", "k", "in", "concat", "(", "[", "1", "]", ",", "[", "2", "]", ")", ":", "k",
        "+", "1", "==", "3", "if", "k", ">", "1", "]", "[0]",
    ],
    &[
        "length", "(", "{", "for", "k", "in", "[", "\"x\"", ",", "\"x\"", "]", ":", "k", "=>", "k",
        "...", "if", "k", "!=", "\"\"", "}", ")", "==", "1",
    ],
    &[
        "{", "for", "k", "in", "[", "\"x\"", "]", ":", "k", "=>", "alltrue", "(", "[", "for", "l",
        "in", "[", "true", "]", ":", "l", "&&", "true", "]", ")", "}", "[\"x\"]",
    ],
];

/// Whether a line may end after a token: inside of brackets, except between the entries of an object.
fn may_break(tokens: &[&str], at: usize) -> bool {
    let mut inside: Vec<bool> = Vec::new();
    for (place, token) in tokens.iter().enumerate().take(at + 1) {
        match *token {
            "(" | "[" => inside.push(true),
            "{" => inside.push(tokens.get(place + 1) == Some(&"for")),
            ")" | "]" | "}" => drop(inside.pop()),
            _ => {}
        }
    }
    // The index after a bracket belongs to it.
    inside.last() == Some(&true)
}

#[test]
fn a_line_may_end_anywhere_in_a_for_expression() {
    let mut count = 0;
    for tokens in EXPRESSIONS {
        let places: Vec<_> = (0..tokens.len())
            .filter(|at| may_break(tokens, *at))
            .collect();
        // Each place alone, all of them, and every second one.
        let mut breaks: Vec<Vec<usize>> = places.iter().map(|at| vec![*at]).collect();
        breaks.push(places.clone());
        breaks.push(places.iter().copied().step_by(2).collect());
        for breaks in breaks {
            for end in ["\n", "\n\n    ", " # a comment\n", " // { for\n", "\r\n"] {
                let mut expression = String::new();
                for (at, token) in tokens.iter().enumerate() {
                    expression.push_str(token);
                    let is_index = tokens
                        .get(at + 1)
                        .is_some_and(|next| next.len() > 1 && next.starts_with('['));
                    let between = if breaks.contains(&at) {
                        end
                    } else if is_index {
                        ""
                    } else {
                        " "
                    };
                    expression.push_str(between);
                }
                let text = format!(
                    "locals {{\n  open = {expression}\n}}\nresource \"aws_db_instance\" \"d\" {{\n  publicly_accessible = local.open\n  storage_encrypted = true\n}}\n"
                );
                assert_outcome(&text, ("public-datastore", "aws_db_instance.d"), "found");
                count += 1;
            }
        }
    }
    assert!(count > 500, "{count}");
}
