//! Documents and ids of a mutation, from the schema: a new field is part of them.

use apollo_compiler::Schema;
use apollo_compiler::ast::Type;
use apollo_compiler::schema::{ExtendedType, FieldDefinition};

fn input_of<'s>(schema: &'s Schema, mutation: &str) -> Option<&'s str> {
    let field = &schema.get_object("Mutation").unwrap().fields[mutation];
    let input = field
        .arguments
        .iter()
        .find(|argument| argument.name == "input");
    input.map(|input| input.ty.inner_named_type().as_str())
}

/// The mutation with one input, that selects what its payload has, two levels deep.
pub fn document(schema: &Schema, mutation: &str) -> String {
    let field = &schema.get_object("Mutation").unwrap().fields[mutation];
    let selected = selection(schema, &field.ty, 3);
    let input = input_of(schema, mutation).expect("one input");
    format!("mutation($input: {input}!) {{ {mutation}(input: $input) {selected} }}")
}

fn selection(schema: &Schema, of: &Type, depth: usize) -> String {
    let name = of.inner_named_type().as_str();
    let fields = match &schema.types[name] {
        ExtendedType::Object(object) => &object.fields,
        ExtendedType::Interface(interface) => &interface.fields,
        _ => return String::new(),
    };
    let is_leaf = |field: &FieldDefinition| {
        let kind = &schema.types[field.ty.inner_named_type()];
        kind.is_scalar() || kind.is_enum()
    };
    let shown = fields.values().filter_map(|field| {
        let asks = field
            .arguments
            .iter()
            .any(|argument| argument.is_required());
        let is_list = field.ty.inner_named_type().as_str().ends_with("Connection");
        match (is_leaf(field), depth) {
            _ if asks || is_list => None,
            (true, _) => Some(field.name.to_string()),
            (false, 0 | 1) => None,
            (false, depth) => {
                let within = selection(schema, &field.ty, depth - 1);
                Some(format!("{} {within}", field.name))
            }
        }
    });
    let shown: Vec<_> = shown.collect();
    format!("{{ __typename {} }}", shown.join(" "))
}

/// The paths of the optional ids of a mutation's input.
pub fn optional_ids(schema: &Schema, mutation: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(input) = input_of(schema, mutation) {
        below(schema, input, &[], &mut found);
    }
    found
}

fn below(schema: &Schema, input: &str, path: &[&str], found: &mut Vec<String>) {
    let ExtendedType::InputObject(object) = &schema.types[input] else {
        return;
    };
    for (name, field) in &object.fields {
        let of = field.ty.inner_named_type().as_str();
        let path = [path, &[name.as_str()]].concat();
        if schema.types[of].is_input_object() {
            if of != input {
                below(schema, of, &path, found);
            }
        } else if !field.ty.is_non_null() && (name == "id" || name.ends_with("Id")) {
            found.push(path.join("."));
        }
    }
}
