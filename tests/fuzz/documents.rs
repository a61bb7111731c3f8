//! Documents by the schema's own grammar, with arguments that fit and others, and soups of its words.

use apollo_compiler::Schema;
use apollo_compiler::ast::Type;
use apollo_compiler::schema::{Component, ExtendedType, FieldDefinition};
use apollo_compiler::validation::Valid;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::fuzz::harness::Fuzzed;
use crate::fuzz::words::text;

const CASES: u32 = 400;

/// Draws numbers that choose, one after another.
struct Choices {
    drawn: Vec<u32>,
    next: usize,
    /// Ids and texts to put in, right ones and others.
    texts: Vec<String>,
}

impl Choices {
    fn below(&mut self, bound: usize) -> usize {
        let drawn = self.drawn.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        drawn as usize % bound.max(1)
    }

    fn text(&mut self) -> String {
        let chosen = self.below(self.texts.len());
        self.texts[chosen].clone()
    }
}

/// A field of an object: its name, its type, and the names and types of its arguments.
struct Field<'s> {
    name: &'s str,
    of: &'s Type,
    arguments: Vec<(&'s str, &'s Type)>,
}

/// The fields of an object or interface; none of anything else.
fn fields_of<'s>(schema: &'s Schema, name: &str) -> Vec<Field<'s>> {
    let fields = match schema.types.get(name) {
        Some(ExtendedType::Object(object)) => &object.fields,
        Some(ExtendedType::Interface(interface)) => &interface.fields,
        _ => return Vec::new(),
    };
    let field =
        |(name, field): (&'s apollo_compiler::Name, &'s Component<FieldDefinition>)| Field {
            name,
            of: &field.ty,
            arguments: field
                .arguments
                .iter()
                .map(|a| (a.name.as_str(), &*a.ty))
                .collect(),
        };
    fields.iter().map(field).collect()
}

fn value(schema: &Schema, of: &Type, choices: &mut Choices, depth: usize) -> String {
    if choices.below(60) == 0 {
        let odd = [
            "null",
            "1",
            "-1",
            "1.5",
            "\"\"",
            "[]",
            "{}",
            "NOBODY",
            "true",
            "$undefined",
            "99999999999",
        ];
        return odd[choices.below(odd.len())].to_owned();
    }
    if of.is_list() {
        let count = choices.below(3);
        let items: Vec<_> = (0..count)
            .map(|_| value(schema, of.item_type(), choices, depth + 1))
            .collect();
        return format!("[{}]", items.join(", "));
    }
    let name = of.inner_named_type().as_str();
    match schema.types.get(name) {
        Some(ExtendedType::Enum(one_of)) => {
            let chosen = choices.below(one_of.values.len());
            one_of.values.get_index(chosen).unwrap().0.to_string()
        }
        Some(ExtendedType::InputObject(input)) if depth < 4 => {
            let mut fields = Vec::new();
            for (name, field) in &input.fields {
                if field.ty.is_non_null() && choices.below(40) > 0 || choices.below(5) == 0 {
                    fields.push(format!(
                        "{name}: {}",
                        value(schema, &field.ty, choices, depth + 1)
                    ));
                }
            }
            format!("{{{}}}", fields.join(", "))
        }
        _ => match name {
            "Int" => [
                "0",
                "1",
                "2",
                "3",
                "5",
                "100",
                "101",
                "2147483647",
                "-2147483648",
            ][choices.below(9)]
            .to_owned(),
            "Boolean" => ["true", "false"][choices.below(2)].to_owned(),
            _ => json!(choices.text()).to_string(),
        },
    }
}

fn selection(schema: &Schema, on: &str, choices: &mut Choices, depth: usize) -> String {
    let fields = fields_of(schema, on);
    let mut selected = vec!["__typename".to_owned()];
    for _ in 0..1 + choices.below(5) {
        let Field {
            name,
            of,
            arguments,
        } = &fields[choices.below(fields.len())];
        let mut given = Vec::new();
        for (argument, of) in arguments {
            if of.is_non_null() && choices.below(40) > 0 || choices.below(4) == 0 {
                given.push(format!("{argument}: {}", value(schema, of, choices, 0)));
            }
        }
        let given = if given.is_empty() {
            String::new()
        } else {
            format!("({})", given.join(", "))
        };
        // Without a name of its own, a field may clash with another.
        let alias = match choices.below(30) {
            0 => String::new(),
            _ => format!("f{}: ", choices.next),
        };
        let directive = match choices.below(40) {
            0 => " @none",
            1..6 => " @include(if: true)",
            6..9 => " @skip(if: true)",
            _ => "",
        };
        let below = of.inner_named_type();
        let below = match fields_of(schema, below).is_empty() {
            true => String::new(),
            false if depth > 5 => " { __typename }".to_owned(),
            false => format!(" {{ {} }}", selection(schema, below, choices, depth + 1)),
        };
        selected.push(format!("{alias}{name}{given}{directive}{below}"));
    }
    if on == "Node" {
        let kind = ["Application", "InterviewStage", "HistoryEntry"][choices.below(3)];
        selected.push(format!(
            "... on {kind} {{ {} }}",
            selection(schema, kind, choices, depth + 1)
        ));
    }
    selected.join(" ")
}

fn schema() -> Valid<Schema> {
    Schema::parse_and_validate(trestle_applications::sdl(), "schema.graphql").unwrap()
}

#[test]
fn every_document_of_the_schema_is_answered() {
    let server = Fuzzed::start();
    let schema = schema();
    let known = [
        server.application.clone(),
        server.stage.clone(),
        server.entry.clone(),
    ];
    let cases = (
        select(&["query", "query", "mutation"][..]),
        prop::collection::vec(any::<u32>(), 20..160),
        prop::collection::vec(text(), 6),
    );
    let executed = std::cell::Cell::new(0);
    server.run(CASES, &cases, async |(operation, drawn, mut texts)| {
        texts.extend(known.clone());
        texts.extend(["2026-11-20", "https://example.com"].map(str::to_owned));
        // Half of the long ones are enough to be refused.
        texts.retain(|text| text.len() < 300 || text.len() > 5000);
        let mut choices = Choices {
            drawn,
            next: 0,
            texts,
        };
        let root = if operation == "query" {
            "Query"
        } else {
            "Mutation"
        };
        let document = format!(
            "{operation} {{ {} }}",
            selection(&schema, root, &mut choices, 0)
        );
        let body = server.ask(&document, json!({})).await?;
        executed.set(executed.get() + usize::from(body["data"].is_object()));
        Ok(())
    });
    assert!(executed.get() > 0, "no document was good");
    eprintln!("{} documents were executed", executed.get());
}

#[test]
fn every_soup_of_words_is_answered() {
    let server = Fuzzed::start();
    let schema = schema();
    let mut words: Vec<String> = [
        "{",
        "{",
        "}",
        "}",
        "(",
        ")",
        "[",
        "]",
        ":",
        "!",
        "=",
        "|",
        "&",
        "@",
        "...",
        "$a",
        "on",
        "query",
        "mutation",
        "subscription",
        "fragment",
        "\"\"\"",
        "\"",
        "#",
        "\u{feff}",
        "\\u{0}",
        "-",
        "1",
        "1e9",
        "null",
        "true",
        "@include(if:$a)",
        "__schema",
        "__type",
        "__typename",
        ",",
    ]
    .map(str::to_owned)
    .to_vec();
    for (name, of) in &schema.types {
        words.push(name.to_string());
        if let ExtendedType::Object(of) = of {
            words.extend(of.fields.keys().map(ToString::to_string));
        }
    }
    let soups = prop::collection::vec(select(words), 0..60);
    server.run(CASES, &soups, async |words| {
        server.ask(&words.join(" "), json!({ "a": true })).await?;
        Ok(())
    });
}
