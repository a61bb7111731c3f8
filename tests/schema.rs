//! The committed schema: it is the one that is served, and it reads well.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use apollo_compiler::Schema;
use apollo_compiler::ast::InputValueDefinition;
use apollo_compiler::schema::ExtendedType;
use trestle::services::SERVICES;
use trestle_api::Code;

fn parsed(sdl: &str) -> Schema {
    Schema::parse(sdl, "schema.graphql").unwrap_or_else(|errors| panic!("{errors}"))
}

fn served() -> Vec<Schema> {
    let services = SERVICES.iter();
    services.map(|service| parsed(&(service.sdl)())).collect()
}

/// The coordinates of everything in a schema that has no description: `Type`, `Type.field`,
/// `Type.field(argument:)`, `Enum.VALUE`. Not counted is the input of a mutation, whose description is the mutation's,
/// and whose fields have their own.
fn undescribed(schema: &Schema) -> Vec<String> {
    let mut bare = Vec::new();
    let mutations = schema.get_object("Mutation");
    let mutations = mutations
        .iter()
        .flat_map(|mutations| mutations.fields.values());
    let inputs: BTreeSet<_> = mutations
        .flat_map(|mutation| mutation.arguments.iter())
        .filter(|argument| argument.name == "input")
        .map(|argument| argument.ty.inner_named_type().clone())
        .collect();
    let mut check = |coordinate: String, description: Option<&str>| {
        if description.is_none_or(|text| text.trim().is_empty()) {
            bare.push(coordinate);
        }
    };
    for (name, definition) in schema.types.iter().filter(|(_, d)| !d.is_built_in()) {
        if !inputs.contains(name) {
            check(
                name.to_string(),
                definition.description().map(|text| text.as_str()),
            );
        }
        let fields = match definition {
            ExtendedType::Object(object) => Some(&object.fields),
            ExtendedType::Interface(interface) => Some(&interface.fields),
            _ => None,
        };
        for (field, definition) in fields.into_iter().flatten() {
            check(format!("{name}.{field}"), definition.description.as_deref());
            for argument in &definition.arguments {
                let argument: &InputValueDefinition = argument;
                if inputs.contains(argument.ty.inner_named_type()) {
                    continue;
                }
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

/// Compares a committed file with what it must be. With `TRESTLE_BLESS` set, writes it.
fn compare(file: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("TRESTLE_BLESS").is_some() {
        fs::write(&path, expected).expect("the file can be written");
        return;
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    if committed == expected {
        return;
    }
    let lines = committed.lines().zip(expected.lines());
    let same = lines
        .take_while(|(committed, expected)| committed == expected)
        .count();
    panic!(
        "{file} is not current, from line {} on. Run `just schema` and commit it.\n\
         committed: {:?}\nexpected:  {:?}",
        same + 1,
        committed.lines().nth(same),
        expected.lines().nth(same),
    );
}

#[test]
fn each_services_schema_is_committed() {
    for (at, service) in SERVICES.iter().enumerate() {
        let file = match at {
            0 => "schema.graphql".to_owned(),
            _ => format!("schemas/{}.graphql", service.name),
        };
        compare(&file, &(service.sdl)());
    }
}

#[test]
fn the_error_catalogue_is_current() {
    let mut text =
        "# Errors\n\nThis page is written by `just schema` from the codes in `crates/api`.\n\n\
        ## `errors`: the request failed\n\nEach error has its code in `extensions.code`.\n\n\
        | code | meaning | what to do |\n|---|---|---|\n"
            .to_owned();
    for code in Code::ALL {
        text += &format!(
            "| `{}` | {} | {} |\n",
            code.as_str(),
            code.meaning(),
            code.action()
        );
    }
    text += "\n## `userErrors`: the input was rejected\n\nA mutation returns them in its payload, each with the path of the \
        input field in `field`. Nothing was changed.\n\n| code | meaning |\n|---|---|\n";
    let schema = parsed(&(SERVICES[0].sdl)());
    let codes = schema
        .get_enum("UserErrorCode")
        .expect("the codes of user errors");
    for (name, value) in &codes.values {
        let meaning = value.description.as_deref().expect("a description");
        text += &format!("| `{name}` | {meaning} |\n");
    }
    compare("docs/errors.md", &text);
}

#[test]
fn the_committed_schema_is_valid() {
    for schema in served() {
        if let Err(errors) = schema.validate() {
            panic!("{errors}");
        }
    }
}

#[test]
fn everything_is_described() {
    for schema in served() {
        assert_eq!(undescribed(&schema), [""; 0]);
    }
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
    for objects in served().iter().map(objects) {
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
            assert!(
                !node.1.ends_with('!') || name == "GraphChangeConnection",
                "a node can fail alone"
            );
        }
        assert!(count > 0);
    }
}

/// The results of a batch such as `archiveApplications`: the payloads of `archiveApplication`.
fn batch_of(mutation: &str) -> String {
    let (first, rest) = mutation.trim_end_matches('s').split_at(1);
    format!("[{}{rest}Payload]!", first.to_uppercase())
}

#[test]
fn a_mutation_takes_one_input_and_answers_one_payload_of_its_own() {
    for schema in served() {
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
                    // A batch: one payload for each entry of the input.
                    "results" => assert_eq!(ty, &batch_of(name), "{name}"),
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
}

#[test]
fn scalars_say_where_they_are_specified() {
    for schema in served() {
        for name in ["Date", "DateTime", "URL", "UUID"] {
            let scalar = schema.get_scalar(name);
            assert!(
                scalar.is_none_or(|scalar| scalar.directives.has("specifiedBy")),
                "{name}"
            );
        }
    }
}
