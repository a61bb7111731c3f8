//! Connections: one generic type for every kind of node.

use std::borrow::Cow;

use async_graphql::parser::types::Field;
use async_graphql::registry::{MetaInputValue, MetaType, Registry};
use async_graphql::resolver_utils::ContainerType;
use async_graphql::{
    Context, ContextSelectionSet, Description, InputType, Name, Object, ObjectType, OutputType,
    Positioned, SelectionField, ServerResult, TypeName, Value,
};

use super::{ApiError, PageArgs, PageInfo, federation, semantic_non_null, session};
use trestle_table::{Direction, Entity, Listing, PageAsk, VisibilityFilter, cursor};

/// A type that connections list.
pub trait Listed: OutputType + 'static {
    /// Description of the connection type.
    const PAGE: &'static str;
    /// Description of the edge type.
    const EDGE: &'static str;
}

/// A page of a list.
pub struct Connection<T> {
    edges: Vec<Edge<T>>,
    page_info: PageInfo,
}

/// A node in a list.
pub struct Edge<T> {
    cursor: String,
    node: Result<T, ApiError>,
}

impl<T: Listed> TypeName for Connection<T> {
    fn type_name() -> Cow<'static, str> {
        format!("{}Connection", T::type_name()).into()
    }
}

impl<T: Listed> TypeName for Edge<T> {
    fn type_name() -> Cow<'static, str> {
        format!("{}Edge", T::type_name()).into()
    }
}

impl<T: Listed> Description for Connection<T> {
    fn description() -> &'static str {
        T::PAGE
    }
}

impl<T: Listed> Description for Edge<T> {
    fn description() -> &'static str {
        T::EDGE
    }
}

#[Object(name_type, use_type_description)]
impl<T: Listed> Connection<T> {
    /// The edges of this page.
    async fn edges(&self) -> &[Edge<T>] {
        &self.edges
    }

    /// The position of this page in the list.
    async fn page_info(&self) -> &PageInfo {
        &self.page_info
    }
}

#[Object(name_type, use_type_description)]
impl<T: Listed> Edge<T> {
    /// Position in the list. Pass it as `after` or `before`.
    async fn cursor(&self) -> &str {
        &self.cursor
    }

    /// The node. `null`, with an error, if the stored item cannot be read.
    #[graphql(directive = semantic_non_null::apply(None))]
    async fn node(&self) -> Option<Result<&T, ApiError>> {
        Some(self.node.as_ref().map_err(Clone::clone))
    }
}

impl<T: Listed> Connection<T> {
    /// A page of a list that a service orders itself: its nodes with their cursors, and whether the list continues in
    /// the page's direction.
    pub fn of(args: &PageArgs, nodes: Vec<(String, T)>, more: bool) -> Self {
        let nodes = nodes.into_iter().map(|(cursor, node)| (cursor, Ok(node)));
        Self::of_read(args, nodes.collect(), more)
    }

    /// As [`Connection::of`], of nodes some of which cannot be read.
    pub fn of_read(args: &PageArgs, nodes: Vec<(String, Result<T, ApiError>)>, more: bool) -> Self {
        let edges = nodes
            .into_iter()
            .map(|(cursor, node)| Edge { cursor, node });
        let edges: Vec<_> = edges.collect();
        let start = edges.first().map(|edge| edge.cursor.clone());
        let end = edges.last().map(|edge| edge.cursor.clone());
        Self {
            edges,
            page_info: PageInfo::of(args, more, start, end),
        }
    }

    /// The page of a list that a service orders in memory, of the rows that are [`following`] its cursor: all of them, or one
    /// more than the page has. `list` binds the cursors to the list.
    pub fn of_following(args: &PageArgs, list: &str, mut rows: Vec<PlacedRow<T>>) -> Self {
        let more = rows.len() > args.size;
        rows.truncate(args.size);
        if args.direction == Direction::Backward {
            rows.reverse();
        }
        let nodes = rows.into_iter();
        let nodes = nodes.map(|(place, node)| (cursor::encode(list, &place), node));
        Self::of(args, nodes.collect(), more)
    }
}

/// A row of a list that a service orders in memory, after its place in the list. Places are compared as bytes.
pub type PlacedRow<T> = (Vec<u8>, T);

/// The rows of such a list that follow a cursor, in the direction of the page.
pub fn following<T>(
    args: &PageArgs,
    cursor: Option<Vec<u8>>,
    mut rows: Vec<PlacedRow<T>>,
) -> Vec<PlacedRow<T>> {
    let is_forward = args.direction == Direction::Forward;
    rows.sort_by(|(one, _), (other, _)| one.cmp(other));
    if !is_forward {
        rows.reverse();
    }
    if let Some(cursor) = cursor {
        rows.retain(|(place, _)| {
            if is_forward {
                *place > cursor
            } else {
                *place < cursor
            }
        });
    }
    rows
}

/// A page of a list of entities, by the field's pagination arguments, which [`Paged`] declares. Costs as
/// [`Tables::page`](trestle_table::Tables::page).
///
/// # Errors
/// BAD_USER_INPUT for arguments that cannot be combined; as every call.
pub async fn page<E, T>(
    ctx: &Context<'_>,
    listing: &Listing<E>,
    gate: &impl VisibilityFilter<E>,
) -> Result<Connection<T>, ApiError>
where
    E: Entity + Send + Sync,
    T: From<E>,
{
    let (session, args) = (session(ctx)?, page_args(ctx.field())?);
    let place = args.place_by(|cursor| listing.place_of(cursor).ok())?;
    let ask = PageAsk {
        size: args.size,
        direction: args.direction,
        place,
    };
    let found = session.tables.page(listing, &ask, gate).await?;
    let cursors = listing.cursors_of(found.rows.iter().map(|row| &row.place));
    let edges = found
        .rows
        .into_iter()
        .zip(cursors)
        .map(|(row, cursor)| Edge {
            cursor,
            node: row.entity.map(T::from).map_err(ApiError::from),
        });
    let edges: Vec<_> = edges.collect();
    let mut start = edges.first().map(|edge| edge.cursor.clone());
    let mut end = edges.last().map(|edge| edge.cursor.clone());
    if let Some(stopped) = found.stopped {
        // The page ended before it was full. The next page starts after the last item that was read.
        let stopped = listing.cursor_of(&stopped);
        match args.direction {
            Direction::Forward => end = Some(stopped),
            Direction::Backward => start = Some(stopped),
        }
    }
    let page_info = PageInfo::of(&args, found.more, start, end);
    Ok(Connection { edges, page_info })
}

/// The pagination arguments of a connection field, which [`Paged`] declares. It may be yet to be resolved.
///
/// # Errors
/// BAD_USER_INPUT for arguments that cannot be combined.
pub fn page_args(field: SelectionField<'_>) -> Result<PageArgs, ApiError> {
    let given = field.arguments().map_err(|_| unreadable())?;
    PageArgs::parse(
        argument(&given, "first")?,
        argument(&given, "after")?,
        argument(&given, "last")?,
        argument(&given, "before")?,
    )
}

fn argument<T: InputType>(given: &[(Name, Value)], name: &str) -> Result<Option<T>, ApiError> {
    let mut given = given.iter();
    let value = given.find_map(|(other, value)| (other == name).then(|| value.clone()));
    Option::parse(value).map_err(|_| unreadable())
}

fn unreadable() -> ApiError {
    ApiError::bad_input("The pagination arguments cannot be read.")
}

/// A root object. Adds the four pagination arguments to every connection field of the schema, so that resolvers do
/// not declare them.
#[derive(Default)]
pub struct Paged<T>(T);

const ARGUMENTS: [(&str, &str, &str); 4] = [
    (
        "first",
        "Int",
        "Number of items from the start of the list, 0 to 100. Defaults to 20.",
    ),
    ("after", "String", "Return items after this cursor."),
    (
        "last",
        "Int",
        "Number of items from the end of the list, 0 to 100.",
    ),
    ("before", "String", "Return items before this cursor."),
];

fn add_arguments(registry: &mut Registry) {
    for object in registry.types.values_mut() {
        let MetaType::Object { fields, .. } = object else {
            continue;
        };
        let connections = fields.values_mut();
        for field in
            connections.filter(|field| field.ty.trim_end_matches('!').ends_with("Connection"))
        {
            for (name, ty, description) in ARGUMENTS {
                let mut argument = MetaInputValue::new(name, ty);
                argument.description = Some(description.to_owned());
                field.args.entry(name.to_owned()).or_insert(argument);
            }
        }
    }
}

impl<T: ObjectType> OutputType for Paged<T> {
    fn type_name() -> Cow<'static, str> {
        T::type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        <i32 as OutputType>::create_type_info(registry);
        <String as OutputType>::create_type_info(registry);
        let name = T::create_type_info(registry);
        add_arguments(registry);
        name
    }

    async fn resolve(
        &self,
        ctx: &ContextSelectionSet<'_>,
        field: &Positioned<Field>,
    ) -> ServerResult<Value> {
        self.0.resolve(ctx, field).await
    }
}

impl<T: ObjectType> ContainerType for Paged<T> {
    async fn resolve_field(&self, ctx: &Context<'_>) -> ServerResult<Option<Value>> {
        match ctx.item.node.name.node.as_str() {
            federation::SERVICE | federation::ENTITIES => {
                Box::pin(federation::resolve(&self.0, ctx)).await
            }
            _ => self.0.resolve_field(ctx).await,
        }
    }
}

impl<T: ObjectType> ObjectType for Paged<T> {}
