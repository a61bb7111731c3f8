//! Documents made from the schema: they select everything, so that a new field is part of them.

use apollo_compiler::Schema;
use apollo_compiler::ast::Type;
use apollo_compiler::schema::{ExtendedType, FieldDefinition};

/// The schema of the service.
pub fn schema() -> Schema {
    Schema::parse(trestle_applications::sdl(), "schema.graphql").unwrap()
}

/// The root fields of an operation type.
pub fn roots(schema: &Schema, root: &str) -> Vec<String> {
    let fields = &schema.get_object(root).expect("the type").fields;
    fields.keys().map(|name| name.to_string()).collect()
}

/// Everything below a root field, its own arguments being `arguments`.
pub fn selected(schema: &Schema, root: &str, field: &str, arguments: &str) -> String {
    let definition = &schema.get_object(root).expect("the type").fields[field];
    let arguments = match arguments {
        "" => String::new(),
        arguments => format!("({arguments})"),
    };
    format!("{field}{arguments}{}", below(schema, definition, &[]))
}

fn below(schema: &Schema, field: &FieldDefinition, path: &[&str]) -> String {
    let name = Type::inner_named_type(&field.ty).as_str();
    let selection = of_type(schema, name, path);
    if selection.is_empty() {
        String::new()
    } else {
        format!(" {{ {selection} }}")
    }
}

/// All fields of a type, except those that lead back to a type of the path.
fn of_type(schema: &Schema, name: &str, path: &[&str]) -> String {
    let inner = [path, &[name]].concat();
    match &schema.types[name] {
        ExtendedType::Object(object) => {
            let fields = object.fields.values().filter(|field| {
                let leads_to = Type::inner_named_type(&field.ty).as_str();
                assert!(
                    field
                        .arguments
                        .iter()
                        .all(|argument| !argument.is_required()),
                    "{name}.{} has a required argument: select it in the matrix",
                    field.name
                );
                !inner.contains(&leads_to)
            });
            let fields: Vec<_> = fields
                .map(|field| format!("{}{}", field.name, below(schema, field, &inner)))
                .collect();
            fields.join(" ")
        }
        ExtendedType::Interface(_) | ExtendedType::Union(_) => {
            let kinds = schema.types.iter().filter(|(_, kind)| match kind {
                ExtendedType::Object(object) => object
                    .implements_interfaces
                    .iter()
                    .any(|interface| interface.as_str() == name),
                _ => false,
            });
            let fragments = kinds.map(|(kind, definition)| {
                let ExtendedType::Object(object) = definition else {
                    unreachable!("only objects were kept");
                };
                // Aliased, because fields of the same name may differ in their types.
                let fields = object
                    .fields
                    .values()
                    .filter(|field| !inner.contains(&Type::inner_named_type(&field.ty).as_str()));
                let path = [&inner[..], &[kind.as_str()]].concat();
                let fields: Vec<_> = fields
                    .map(|field| {
                        let rest = below(schema, field, &path);
                        format!("{kind}_{}: {}{rest}", field.name, field.name)
                    })
                    .collect();
                format!("... on {kind} {{ {} }}", fields.join(" "))
            });
            let fragments: Vec<_> = fragments.collect();
            format!("__typename {}", fragments.join(" "))
        }
        _ => String::new(),
    }
}

#[test]
fn documents_select_every_field_of_the_schema() {
    let schema = schema();
    let document = selected(&schema, "Query", "node", "id: \"x\"");
    let application = schema.get_object("Application").unwrap();
    for field in application.fields.keys() {
        assert!(
            document.contains(&format!("Application_{field}: {field}")),
            "{field}"
        );
    }
    for field in schema.get_object("HistoryEntry").unwrap().fields.keys() {
        assert!(document.contains(field.as_str()), "{field}");
    }
}
