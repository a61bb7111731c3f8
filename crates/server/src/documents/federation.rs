//! A service's schema as a subgraph of Apollo Federation, version 2. Its entities are the objects that implement `Node`,
//! by their ids. `node` and `nodes` are left out: an id means something to its own subgraph alone.
//! Source: <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec>.

use apollo_compiler::ast::{
    Argument, Definition, Directive, Document, ObjectTypeDefinition, Value,
};
use apollo_compiler::{Name, Node, name};

use trestle_api::federation::{ENTITIES, SERVICE};

/// The scalar of representations.
pub(super) const ANY: &str = "_Any";

const LINK: &str = "https://specs.apollo.dev/federation/v2.3";
const NODE: &str = "Node";
const QUERY: &str = "Query";
const LOOKUPS: [&str; 2] = ["node", "nodes"];
/// Objects that are the same in every service.
const SHARED: [&str; 2] = ["PageInfo", "UserError"];
/// Directives that every schema has.
const BUILT_IN: [&str; 5] = ["include", "skip", "specifiedBy", "deprecated", "oneOf"];

/// The SDL of the subgraph that a service with this SDL is.
///
/// # Errors
/// The parser's report.
pub fn subgraph(sdl: &str) -> Result<String, String> {
    let mut document = parse(sdl)?;
    document.definitions.retain(|definition| match definition {
        Definition::DirectiveDefinition(directive) => !BUILT_IN.contains(&directive.name.as_str()),
        _ => true,
    });
    for definition in &mut document.definitions {
        match definition {
            Definition::SchemaDefinition(schema) => schema.make_mut().directives.push(link()),
            Definition::ObjectTypeDefinition(object) => federate(object.make_mut()),
            _ => {}
        }
    }
    Ok(document.to_string())
}

/// The SDL with the fields of a subgraph, which documents are checked against.
///
/// # Errors
/// The parser's report.
pub(super) fn with_fields(sdl: &str) -> Result<String, String> {
    let document = parse(sdl)?;
    let entities = document
        .definitions
        .iter()
        .filter_map(|definition| match definition {
            Definition::ObjectTypeDefinition(object) if is_entity(object) => {
                Some(object.name.as_str())
            }
            _ => None,
        });
    let entities: Vec<_> = entities.collect();
    let mut text = format!(
        "{sdl}\ntype _Service {{ sdl: String! }}\nextend type {QUERY} {{ {SERVICE}: _Service! }}\n"
    );
    if !entities.is_empty() {
        let entities = entities.join(" | ");
        text += &format!(
            "scalar {ANY}\nunion _Entity = {entities}\n\
             extend type {QUERY} {{ {ENTITIES}(representations: [{ANY}!]!): [_Entity]! }}\n"
        );
    }
    Ok(text)
}

fn parse(sdl: &str) -> Result<Document, String> {
    Document::parse(sdl, "schema.graphql").map_err(|failed| failed.errors.to_string())
}

fn is_entity(object: &ObjectTypeDefinition) -> bool {
    object.implements_interfaces.iter().any(|name| name == NODE)
}

fn federate(object: &mut ObjectTypeDefinition) {
    if object.name == QUERY {
        object
            .fields
            .retain(|field| !LOOKUPS.contains(&field.name.as_str()));
    }
    if is_entity(object) {
        let fields = argument(name!("fields"), Value::String("id".to_owned()));
        object
            .directives
            .push(directive(name!("key"), vec![fields]));
    }
    if SHARED.contains(&object.name.as_str()) {
        object
            .directives
            .push(directive(name!("shareable"), Vec::new()));
    }
}

/// The directive that makes the schema a subgraph.
fn link() -> Node<Directive> {
    let imported = ["@key", "@shareable"].map(|name| Node::new(Value::String(name.to_owned())));
    let arguments = vec![
        argument(name!("url"), Value::String(LINK.to_owned())),
        argument(name!("import"), Value::List(imported.into())),
    ];
    directive(name!("link"), arguments)
}

fn directive(name: Name, arguments: Vec<Node<Argument>>) -> Node<Directive> {
    Node::new(Directive { name, arguments })
}

fn argument(name: Name, value: Value) -> Node<Argument> {
    Node::new(Argument {
        name,
        value: Node::new(value),
    })
}
