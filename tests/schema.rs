//! The committed schema: it is the one that is served, and it reads well.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

use std::fs;

use apollo_compiler::Schema;
use apollo_compiler::ast::InputValueDefinition;
use apollo_compiler::schema::ExtendedType;
use trestle::applications;

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schema.graphql");

fn parsed(sdl: &str) -> Schema {
    Schema::parse(sdl, "schema.graphql").unwrap_or_else(|errors| panic!("{errors}"))
}

fn served() -> Schema {
    parsed(&applications::sdl())
}

/// The coordinates of everything in a schema that has no description: `Type`, `Type.field`,
/// `Type.field(argument:)`, `Enum.VALUE`.
fn undescribed(schema: &Schema) -> Vec<String> {
    let mut bare = Vec::new();
    let mut check = |coordinate: String, description: Option<&str>| {
        if description.is_none_or(|text| text.trim().is_empty()) {
            bare.push(coordinate);
        }
    };
    for (name, definition) in schema.types.iter().filter(|(_, d)| !d.is_built_in()) {
        check(
            name.to_string(),
            definition.description().map(|text| text.as_str()),
        );
        let fields = match definition {
            ExtendedType::Object(object) => Some(&object.fields),
            ExtendedType::Interface(interface) => Some(&interface.fields),
            _ => None,
        };
        for (field, definition) in fields.into_iter().flatten() {
            check(format!("{name}.{field}"), definition.description.as_deref());
            for argument in &definition.arguments {
                let argument: &InputValueDefinition = argument;
                let coordinate = format!("{name}.{field}({}:)", argument.name);
                check(coordinate, argument.description.as_deref());
            }
        }
        if let ExtendedType::Enum(values) = definition {
            for (value, definition) in &values.values {
                check(format!("{name}.{value}"), definition.description.as_deref());
            }
        }
        if let ExtendedType::InputObject(input) = definition {
            for (field, definition) in &input.fields {
                check(format!("{name}.{field}"), definition.description.as_deref());
            }
        }
    }
    bare
}

/// Every object and interface of a schema with its fields' names and types, as SDL writes them.
fn objects(schema: &Schema) -> Vec<(String, Vec<(String, String)>)> {
    let fields = |definition: &ExtendedType| match definition {
        ExtendedType::Object(object) => Some(object.fields.clone()),
        ExtendedType::Interface(interface) => Some(interface.fields.clone()),
        _ => None,
    };
    let own = schema
        .types
        .iter()
        .filter(|(_, definition)| !definition.is_built_in());
    let named = own.filter_map(|(name, definition)| {
        let fields = fields(definition)?;
        let field = |(name, field): (&apollo_compiler::Name, _)| {
            let field: &apollo_compiler::schema::FieldDefinition = field;
            (name.to_string(), field.ty.to_string())
        };
        let fields = fields
            .iter()
            .map(|(name, definition)| field((name, definition)));
        Some((name.to_string(), fields.collect()))
    });
    named.collect()
}

#[test]
fn the_committed_schema_is_the_one_that_is_served() {
    let committed = fs::read_to_string(COMMITTED).expect("schema.graphql is there");
    let served = applications::sdl();
    if committed != served {
        let lines = committed.lines().zip(served.lines());
        let same = lines
            .take_while(|(committed, served)| committed == served)
            .count();
        panic!(
            "schema.graphql is not what is served, from line {} on: run `just schema` and commit it.\n\
             committed: {:?}\nserved:    {:?}",
            same + 1,
            committed.lines().nth(same),
            served.lines().nth(same),
        );
    }
}

#[test]
fn the_committed_schema_is_valid() {
    let schema = served();
    if let Err(errors) = schema.validate() {
        panic!("{errors}");
    }
}

#[test]
fn everything_is_described() {
    assert_eq!(undescribed(&served()), [""; 0]);
    let bare = parsed(
        "type Query { a(b: Int): C } enum C { D } input E { f: Int } interface G { h: ID } scalar I
         \"said\" type J { \"said\" k(\"said\" l: Int, m: Int): Int }",
    );
    let expected = [
        "Query",
        "Query.a",
        "Query.a(b:)",
        "C",
        "C.D",
        "E",
        "E.f",
        "G",
        "G.h",
        "I",
        "J.k(m:)",
    ];
    assert_eq!(undescribed(&bare), expected);
}

#[test]
fn connections_have_edges_and_page_info_and_no_short_cut() {
    let objects = objects(&served());
    let connections = objects
        .iter()
        .filter(|(name, _)| name.ends_with("Connection"));
    let mut count = 0;
    for (name, fields) in connections {
        count += 1;
        let edge = name.replace("Connection", "Edge");
        let of = |wanted: &str| {
            let found = fields.iter().find(|(field, _)| field == wanted);
            found.map(|(_, ty)| ty.as_str())
        };
        assert_eq!(of("nodes"), None, "{name}");
        assert_eq!(of("edges"), Some(format!("[{edge}!]!").as_str()), "{name}");
        assert_eq!(of("pageInfo"), Some("PageInfo!"), "{name}");
        let (_, edge) = objects.iter().find(|(name, _)| *name == edge).unwrap();
        assert!(edge.contains(&("cursor".to_owned(), "String!".to_owned())));
        let node = edge.iter().find(|(field, _)| field == "node").unwrap();
        assert!(!node.1.ends_with('!'), "a node can fail alone");
    }
    assert_eq!(count, 2);
}

#[test]
fn a_mutation_takes_one_input_and_answers_one_payload_of_its_own() {
    let schema = served();
    let objects = objects(&schema);
    let mutation = schema.get_object("Mutation").unwrap();
    for (name, field) in &mutation.fields {
        let (first, rest) = name.split_at(1);
        let stem = format!("{}{rest}", first.to_uppercase());
        let arguments: Vec<_> = field
            .arguments
            .iter()
            .map(|argument| (argument.name.as_str(), argument.ty.to_string()))
            .collect();
        assert_eq!(arguments, [("input", format!("{stem}Input!"))], "{name}");
        assert_eq!(field.ty.to_string(), format!("{stem}Payload"), "{name}");
        let (_, payload) = objects
            .iter()
            .find(|(o, _)| *o == format!("{stem}Payload"))
            .unwrap();
        for (field, ty) in payload {
            match field.as_str() {
                "userErrors" => assert_eq!(ty, "[UserError!]!", "{name}"),
                _ => assert!(
                    !ty.ends_with('!'),
                    "{name}: {field} is there of a refused one too"
                ),
            }
        }
        assert!(
            payload.iter().any(|(field, _)| field == "userErrors"),
            "{name}"
        );
    }
    let payloads = objects
        .iter()
        .filter(|(name, _)| name.ends_with("Payload"))
        .count();
    assert_eq!(payloads, mutation.fields.len());
}

#[test]
fn scalars_say_where_they_are_specified() {
    let schema = served();
    for name in ["Date", "DateTime", "URL", "UUID"] {
        let scalar = schema.get_scalar(name).unwrap();
        assert!(scalar.directives.has("specifiedBy"), "{name}");
    }
}
