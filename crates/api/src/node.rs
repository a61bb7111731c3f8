//! `node` and `nodes`: objects by their global ids, which are opaque, typed and stable.

use std::future::{Future, ready};
use std::marker::PhantomData;

use async_graphql::{Context, ID, Object, OutputType};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, try_join_all};

use super::{ApiError, QueryResult, Session, federation, session};
use crate::viewer::Viewer;
use trestle_domain::{Id, Moment, RawId, Rule, Seconds, UserId};
use trestle_table::{Entity, Item, Key, TableDefinition, from_item};

/// Most ids of one `nodes` query.
const MAX_NODES: usize = 100;

/// A part of a global id as bytes.
pub trait IdBytes: Sized {
    /// Appends them.
    fn write(&self, to: &mut Vec<u8>);
    /// Takes them from the front.
    fn read(from: &mut &[u8]) -> Option<Self>;
}

impl<E, R: RawId> IdBytes for Id<E, R> {
    fn write(&self, to: &mut Vec<u8>) {
        to.extend(self.raw().to_bytes());
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let (bytes, rest) = from.split_first_chunk::<16>()?;
        *from = rest;
        Some(R::from_bytes(*bytes).into())
    }
}

/// Takes all remaining bytes, so it must be the last part.
impl IdBytes for UserId {
    fn write(&self, to: &mut Vec<u8>) {
        to.extend(self.as_str().as_bytes());
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(std::mem::take(from)).ok()?;
        UserId::parse(text).ok()
    }
}

impl IdBytes for Moment {
    fn write(&self, to: &mut Vec<u8>) {
        to.extend(self.millis().to_be_bytes());
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let (bytes, rest) = from.split_first_chunk::<8>()?;
        *from = rest;
        Self::from_millis(i64::from_be_bytes(*bytes))
    }
}

impl IdBytes for Moment<Seconds> {
    fn write(&self, to: &mut Vec<u8>) {
        to.extend(self.seconds().to_be_bytes());
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let (bytes, rest) = from.split_first_chunk::<8>()?;
        *from = rest;
        Self::from_seconds(i64::from_be_bytes(*bytes))
    }
}

impl<A: IdBytes, B: IdBytes> IdBytes for (A, B) {
    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
        self.1.write(to);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        Some((A::read(from)?, B::read(from)?))
    }
}

impl<A: IdBytes, B: IdBytes, C: IdBytes> IdBytes for (A, B, C) {
    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
        self.1.write(to);
        self.2.write(to);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        Some((A::read(from)?, B::read(from)?, C::read(from)?))
    }
}

/// An entity with a global id.
pub trait Node: Entity<Id: IdBytes> + Send {
    /// First byte of its ids, different for each kind of a service. Never changes.
    const TAG: u8;

    /// The entity as the viewer sees it; `None` if the viewer may not see it.
    fn visible_to(
        self,
        _: &Session,
    ) -> impl Future<Output = Result<Option<Self>, ApiError>> + Send {
        ready(Ok(Some(self)))
    }

    /// Appends the parts of its identity that the id needs.
    fn write_id(&self, to: &mut Vec<u8>) {
        self.identity().write(to);
    }

    /// The identity that an id of this viewer means.
    fn read_id(from: &mut &[u8], _: &Viewer) -> Option<Self::Id> {
        Self::Id::read(from)
    }

    /// Its global id.
    fn node_id(&self) -> ID {
        let mut bytes = vec![Self::TAG];
        self.write_id(&mut bytes);
        ID(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// The global id of the entity with this identity, for kinds whose ids have all parts of it.
    fn id_of(identity: &Self::Id) -> ID {
        let mut bytes = vec![Self::TAG];
        identity.write(&mut bytes);
        ID(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// The identity of a global id in an input.
    ///
    /// # Errors
    /// [`Rule::NotFound`] if it is not an id of this kind.
    fn named(id: &ID, session: &Session) -> Result<Self::Id, Rule> {
        let missing = Rule::NotFound("is not an ID of the expected type");
        read_id::<Self>(id, &session.viewer).ok_or(missing)
    }
}

fn read_id<E: Node>(id: &str, viewer: &Viewer) -> Option<E::Id> {
    let bytes = URL_SAFE_NO_PAD.decode(id).ok()?;
    let (tag, mut rest) = bytes.split_first()?;
    let id = (*tag == E::TAG)
        .then(|| E::read_id(&mut rest, viewer))
        .flatten()?;
    rest.is_empty().then_some(id)
}

/// A relation: the entity with this id, as the viewer sees it. Relations of one page share a BatchGetItem.
pub async fn found<E: Node>(ctx: &Context<'_>, id: &E::Id) -> QueryResult<E> {
    let shown = async {
        let session = session(ctx)?;
        match session.load::<E>(id).await? {
            Some(entity) => entity.visible_to(session).await,
            None => Ok(None),
        }
    };
    shown.await.transpose()
}

type Show<N> = for<'s> fn(Item, &'s Session) -> BoxFuture<'s, Result<Option<N>, ApiError>>;

/// How nodes of one kind are loaded.
pub struct Kind<N> {
    table: &'static TableDefinition,
    key: fn(&str, &Viewer) -> Option<Key>,
    show: Show<N>,
}

impl<N: 'static> Kind<N> {
    /// The kind of an entity.
    pub const fn of<E: Node + Into<N>>() -> Self {
        Self {
            table: E::TABLE,
            key: |id, viewer| Some(E::key_of(&read_id::<E>(id, viewer)?)),
            show: |item, session| {
                async move {
                    let entity: E = from_item(item)?;
                    Ok(entity.visible_to(session).await?.map(Into::into))
                }
                .boxed()
            },
        }
    }
}

/// The interface of all objects with a global id.
pub trait Nodes: OutputType + Sized + 'static {
    /// All kinds.
    const KINDS: &'static [Kind<Self>];
}

/// The queries `node` and `nodes`.
pub struct NodeQuery<N>(PhantomData<N>);

impl<N> Default for NodeQuery<N> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

#[Object]
impl<N: Nodes> NodeQuery<N> {
    /// Returns an object by its ID, or `null` if it does not exist or the viewer may not see it.
    async fn node(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "ID of the object.")] id: ID,
    ) -> Option<Result<N, ApiError>> {
        match find(ctx, &[id]).await {
            Ok(mut found) => found.pop().flatten(),
            Err(error) => Some(Err(error)),
        }
    }

    /// Returns objects by their IDs, in the order of the IDs. An object that does not exist, or that the viewer may not
    /// see, is `null`.
    async fn nodes(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "IDs of the objects, at most 100.")] ids: Vec<ID>,
    ) -> Result<Vec<Option<Result<N, ApiError>>>, ApiError> {
        find(ctx, &ids).await
    }
}

async fn find<N: Nodes>(
    ctx: &Context<'_>,
    ids: &[ID],
) -> Result<Vec<Option<Result<N, ApiError>>>, ApiError> {
    let (argument, most) = if federation::asks(ctx) {
        ("representations", federation::MAX_ENTITIES)
    } else {
        ("ids", MAX_NODES)
    };
    if ids.len() > most {
        let message = format!("`{argument}` must have at most {most} entries.");
        return Err(ApiError::bad_input(message));
    }
    let session = session(ctx)?;
    let asked = ids.iter().map(|id| {
        let mut kinds = N::KINDS.iter();
        kinds.find_map(|kind| Some((kind, (kind.key)(id, &session.viewer)?)))
    });
    let asked: Vec<_> = asked.collect();
    let keys = asked
        .iter()
        .flatten()
        .map(|(kind, key)| (kind.table.default_name, key.clone()));
    let found = session.tables.items(keys).await?;
    let shown = asked.into_iter().map(|asked| {
        let item = asked.and_then(|(kind, key)| {
            let item = found.get(&(kind.table.default_name, key))?;
            Some((kind, item.clone()))
        });
        async move {
            match item {
                Some((kind, item)) => {
                    Ok::<_, ApiError>((kind.show)(item, session).await.transpose())
                }
                None => Ok(None),
            }
        }
    });
    try_join_all(shown).await
}
