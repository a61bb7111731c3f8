//! Values that are of the wrong kind, and keys that no input has: at every place of every root field.

use apollo_compiler::Schema;
use apollo_compiler::ast::{FieldDefinition, Type};
use apollo_compiler::schema::ExtendedType;
use serde_json::{Value, json};

use crate::ask::start;

/// A place of a variable.
#[derive(Debug)]
struct Place {
    path: String,
    /// The variable with a wrong value there.
    variable: Value,
    /// What the error has to name.
    named: Vec<String>,
}

/// Every place in a value of this type whose kind a program can get wrong.
fn places(schema: &Schema, ty: &Type, path: &str, above: &[&str]) -> Vec<Place> {
    if ty.is_list() {
        let mut found = places(schema, ty.item_type(), &format!("{path}.0"), above);
        for place in &mut found {
            place.variable = json!([place.variable]);
        }
        return found;
    }
    let name = ty.inner_named_type().as_str();
    match &schema.types[name] {
        ExtendedType::Enum(definition) => vec![Place {
            path: path.to_owned(),
            variable: json!("NO_VALUE"),
            named: definition.values.keys().map(ToString::to_string).collect(),
        }],
        ExtendedType::Scalar(_) => vec![Place {
            path: path.to_owned(),
            variable: if name == "Boolean" {
                json!("yes")
            } else {
                json!(true)
            },
            named: vec![name.to_owned()],
        }],
        // `not` of a filter is a filter: once is enough.
        ExtendedType::InputObject(object) if !above.contains(&name) => {
            let above = [above, &[name]].concat();
            let mut found = vec![Place {
                path: format!("{path}.noSuchField"),
                variable: json!({ "noSuchField": 1 }),
                named: vec![name.to_owned()],
            }];
            for (field, definition) in &object.fields {
                if definition.is_required() {
                    found.push(Place {
                        path: format!("{path}.{field}"),
                        variable: json!({ field.as_str(): null }),
                        named: vec![definition.ty.to_string()],
                    });
                }
            }
            for (field, definition) in &object.fields {
                let below = places(schema, &definition.ty, &format!("{path}.{field}"), &above);
                found.extend(below.into_iter().map(|place| Place {
                    variable: json!({ field.as_str(): place.variable }),
                    ..place
                }));
            }
            found
        }
        _ => Vec::new(),
    }
}

/// A document that asks a root field with a variable for each of its arguments.
fn document(schema: &Schema, operation: &str, field: &FieldDefinition) -> String {
    let arguments = field.arguments.iter();
    let declared: Vec<_> = arguments
        .clone()
        .map(|argument| format!("${}: {}", argument.name, argument.ty))
        .collect();
    let given: Vec<_> = arguments
        .map(|argument| format!("{0}: ${0}", argument.name))
        .collect();
    let selection = if schema.types[field.ty.inner_named_type()].is_leaf() {
        ""
    } else {
        "{ __typename }"
    };
    let (declared, given) = (declared.join(", "), given.join(", "));
    format!(
        "{operation}({declared}) {{ {}({given}) {selection} }}",
        field.name
    )
}

#[tokio::test]
async fn a_wrong_value_is_named_with_its_place_and_what_it_can_be() {
    let (api, _) = start().await;
    let schema = Schema::parse(trestle_applications::sdl(), "schema.graphql").unwrap();
    let mut asked = 0;
    for (root, operation) in [("Query", "query"), ("Mutation", "mutation")] {
        for field in schema.get_object(root).unwrap().fields.values() {
            let document = document(&schema, operation, field);
            for argument in &field.arguments {
                for place in places(&schema, &argument.ty, &format!("${}", argument.name), &[]) {
                    let variables = json!({ argument.name.as_str(): place.variable });
                    let answer = api.run(&document, variables).await;
                    assert_eq!(answer.code(), "BAD_USER_INPUT", "{document} {place:?}");
                    let message = answer.body["errors"][0]["message"].as_str().unwrap();
                    let start = format!("Variable `{}`: ", place.path);
                    assert!(message.starts_with(&start), "{message} {place:?}");
                    let path: Vec<_> = place.path[1..].split('.').collect();
                    assert_eq!(answer.body["errors"][0]["extensions"]["path"], json!(path));
                    for name in &place.named {
                        assert!(message.contains(name), "{message} {place:?}");
                    }
                    asked += 1;
                }
            }
        }
    }
    assert!(asked > 100, "{asked}");
}
