//! Services as subgraphs of Apollo Federation. `_service` and `_entities` are not part of a service's schema: the server
//! lets them through if it serves subgraphs. Entities are the objects with a global id, found as `nodes` finds them, so that
//! a viewer gets no others than there.
//! Source: <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec>.

use std::sync::Arc;

use async_graphql::parser::types::{Field, Selection, SelectionSet};
use async_graphql::resolver_utils::ContainerType;
use async_graphql::{
    Any, Context, Error, Name, ObjectType, Positioned, ServerError, ServerResult, Value,
};

use super::ApiError;

/// The field with the SDL of a subgraph.
pub const SERVICE: &str = "_service";
/// The field with the entities of a subgraph.
pub const ENTITIES: &str = "_entities";

/// The most entities of one request: gateways ask for all that a page needs at once.
pub(super) const MAX_ENTITIES: usize = 1_000;
/// An argument that marks `nodes` as asked for entities. Documents with it are refused, so clients cannot send it.
const MARK: &str = "__entities";

/// Where the type of an entity is noted until it is compared. Clients cannot name a field so.
const KIND: &str = "__entity";

/// The SDL of a subgraph. Data of a request.
#[derive(Clone, Debug)]
pub struct Subgraph(pub Arc<str>);

/// Answers one of the two fields, for a root that may have `nodes`.
pub(super) async fn resolve<T: ObjectType>(
    root: &T,
    ctx: &Context<'_>,
) -> ServerResult<Option<Value>> {
    if ctx.item.node.name.node == SERVICE {
        service(ctx).map(Some)
    } else {
        entities(root, ctx).await.map(Some)
    }
}

fn service(ctx: &Context<'_>) -> ServerResult<Value> {
    let Some(subgraph) = ctx.data_opt::<Subgraph>() else {
        let message = "This server does not serve subgraphs. Start it with --federation.";
        return Err(failed(ctx, ApiError::bad_input(message)));
    };
    let mut fields = Vec::new();
    selected(ctx, &ctx.item.node.selection_set.node, &mut fields);
    let values = fields.into_iter().map(|field| {
        let value = match field.name.node.as_str() {
            "sdl" => Value::String(subgraph.0.to_string()),
            _ => Value::String("_Service".to_owned()),
        };
        (field.response_key().node.clone(), value)
    });
    Ok(Value::Object(values.collect()))
}

/// The fields of a selection, those of its fragments included.
fn selected<'c>(ctx: &Context<'c>, set: &'c SelectionSet, fields: &mut Vec<&'c Field>) {
    for selection in &set.items {
        match &selection.node {
            Selection::Field(field) => fields.push(&field.node),
            Selection::InlineFragment(inline) => {
                selected(ctx, &inline.node.selection_set.node, fields);
            }
            Selection::FragmentSpread(spread) => {
                let fragment = ctx.query_env.fragments.get(&spread.node.fragment_name.node);
                if let Some(fragment) = fragment {
                    selected(ctx, &fragment.node.selection_set.node, fields);
                }
            }
        }
    }
}

/// Asks for `nodes` with the ids of the representations, and for the type of each.
async fn entities<T: ObjectType>(root: &T, ctx: &Context<'_>) -> ServerResult<Value> {
    let (_, given) = ctx.param_value::<Vec<Any>>("representations", None)?;
    let mut ids = Vec::with_capacity(given.len());
    let mut kinds = Vec::with_capacity(given.len());
    for Any(representation) in given {
        let (id, kind) = read(representation).map_err(|error| failed(ctx, error))?;
        ids.push(Value::String(id).into_value());
        kinds.push(kind);
    }
    let mut field = ctx.item.clone();
    let pos = field.pos;
    let positioned = |name| Positioned::new(Name::new(name), pos);
    field.node.name = positioned("nodes");
    let ids = async_graphql_value::Value::List(ids);
    let mark = async_graphql_value::Value::Boolean(true);
    field.node.arguments = vec![
        (positioned("ids"), Positioned::new(ids, pos)),
        (positioned(MARK), Positioned::new(mark, pos)),
    ];
    let kind = Field {
        alias: Some(positioned(KIND)),
        name: positioned("__typename"),
        arguments: Vec::new(),
        directives: Vec::new(),
        selection_set: Positioned::new(SelectionSet::default(), pos),
    };
    let kind = Positioned::new(Selection::Field(Positioned::new(kind, pos)), pos);
    field.node.selection_set.node.items.push(kind);
    let mut nodes = ctx.with_field(&field);
    nodes.path_node = ctx.path_node;
    let found = ContainerType::resolve_field(root, &nodes).await?;
    let mut found = match found {
        Some(Value::List(found)) => found,
        // The error is in the answer already.
        _ => vec![Value::Null; kinds.len()],
    };
    for (value, kind) in found.iter_mut().zip(&kinds) {
        if let Value::Object(fields) = value
            && fields.shift_remove(KIND) != Some(Value::String(kind.clone()))
        {
            *value = Value::Null;
        }
    }
    Ok(Value::List(found))
}

/// Whether a field asks for entities, rather than a client for `nodes`.
pub(super) fn asks(ctx: &Context<'_>) -> bool {
    let mut arguments = ctx.item.node.arguments.iter();
    arguments.any(|(name, _)| name.node == MARK)
}

/// The id and the type of a representation.
fn read(representation: Value) -> Result<(String, String), ApiError> {
    if let Value::Object(mut fields) = representation
        && let Some(Value::String(id)) = fields.shift_remove("id")
        && let Some(Value::String(kind)) = fields.shift_remove("__typename")
    {
        return Ok((id, kind));
    }
    Err(ApiError::bad_input(
        "A representation must have the fields `__typename` and `id`, both strings.",
    ))
}

fn failed(ctx: &Context<'_>, error: ApiError) -> ServerError {
    ctx.set_error_path(Error::from(error).into_server_error(ctx.item.pos))
}
