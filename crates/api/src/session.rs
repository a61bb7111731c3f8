//! What the resolvers of one request share.

use std::future::Future;
use std::sync::Arc;

use async_graphql::{Context, SimpleObject};
use chrono::Utc;
use serde::{Deserialize, Serialize};

use super::ApiError;
use super::loader::Items;
use super::shared::Shared;
use crate::viewer::Viewer;
use trestle_domain::{Moment, UserId};
use trestle_table::{Entity, Tables, from_item};

/// The viewer and the tables of one request. Clones share its meter and its loader.
#[derive(Clone, Debug)]
pub struct Session {
    /// The service's tables. Their calls are counted into the request's meter.
    pub tables: Tables,
    /// The viewer.
    pub viewer: Viewer,
    items: Items,
    shared: Shared,
}

impl Session {
    /// A session of `viewer` on these tables.
    pub fn new(tables: Tables, viewer: Viewer) -> Self {
        Self {
            items: Items::new(tables.clone()),
            tables,
            viewer,
            shared: Shared::default(),
        }
    }

    /// A value that several resolvers of the request need, one of each type. The first one that asks makes it, the
    /// others wait for it. A failure is not kept.
    ///
    /// # Errors
    /// As `make`.
    pub async fn once<T: Send + Sync + 'static, E>(
        &self,
        make: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<Arc<T>, E> {
        let cell = self.shared.cell::<T>();
        let make = async { make.await.map(Arc::new) };
        cell.get_or_try_init(|| make).await.cloned()
    }

    /// Forgets the value of [`Session::once`], after a change to what it was made of.
    pub fn forget<T: 'static>(&self) {
        self.shared.forget::<T>();
    }

    /// Gives every resolver of the request a value, one of each type; see [`Session::given`].
    pub fn give<T: Send + Sync + 'static>(&self, value: T) {
        // The first value stays.
        let _ = self.shared.cell::<T>().set(Arc::new(value));
    }

    /// The value of [`Session::give`].
    pub fn given<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.shared.cell::<T>().get().cloned()
    }

    /// The current time, to the millisecond.
    pub fn now(&self) -> Moment {
        Moment::new(self.tables.now())
    }

    /// An entity by its id, whether or not the viewer may see it. Loads of the same time share a BatchGetItem, so
    /// that a relation of a page costs one call. Strongly consistent.
    ///
    /// # Errors
    /// The store does not answer, or the item cannot be read.
    pub async fn load<E: Entity>(&self, id: &E::Id) -> Result<Option<E>, ApiError> {
        let item = self
            .items
            .load(E::TABLE.default_name, E::key_of(id))
            .await?;
        Ok(item.map(from_item).transpose()?)
    }

    /// The viewer's subject, as entities name it.
    pub fn user(&self) -> UserId {
        UserId::new(self.viewer.subject())
    }
}

/// The request's session.
///
/// # Errors
/// INTERNAL_SERVER_ERROR if the request has none, which is a bug.
pub fn session<'c>(ctx: &Context<'c>) -> Result<&'c Session, ApiError> {
    request_data(ctx)
}

/// What every request of the service has.
///
/// # Errors
/// INTERNAL_SERVER_ERROR if the request does not have it, which is a bug.
pub fn request_data<'c, T: Send + Sync + 'static>(ctx: &Context<'c>) -> Result<&'c T, ApiError> {
    ctx.data_opt::<T>().ok_or_else(|| {
        let missing = format!("the request has no {}", std::any::type_name::<T>());
        ApiError::internal(std::io::Error::other(missing))
    })
}

/// The version of an entity, and when it was created and changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase", from = "StoredRevision")]
pub struct Revision {
    /// Number of changes. Pass it as `expectedVersion` to prevent overwriting a newer version.
    /// An item that another program wrote without a version has version 0.
    pub version: u32,
    /// When it was created.
    pub created_at: Moment,
    /// When it was last changed. Never decreases.
    pub updated_at: Moment,
}

/// What other programs store of it: a change need not be there, for what they never change.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredRevision {
    #[serde(default, deserialize_with = "named::version")]
    version: u32,
    #[serde(deserialize_with = "named::created_at")]
    created_at: Moment,
    #[serde(default, deserialize_with = "named::updated_at")]
    updated_at: Option<Moment>,
}

impl From<StoredRevision> for Revision {
    fn from(stored: StoredRevision) -> Self {
        Self {
            version: stored.version,
            created_at: stored.created_at,
            updated_at: stored.updated_at.unwrap_or(stored.created_at),
        }
    }
}

/// Errors of flattened attributes have no path, so each attribute names itself.
mod named {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer};

    macro_rules! named {
        ($($function:ident: $name:literal)+) => {$(
            pub fn $function<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
                T::deserialize(from).map_err(|error| D::Error::custom(format!("attribute {}: {error}", $name)))
            }
        )+};
    }

    named!(version: "version" created_at: "createdAt" updated_at: "updatedAt");
}

impl Revision {
    /// The stamp of an entity created at `now`.
    pub fn new(now: Moment) -> Self {
        Self {
            version: 1,
            created_at: now,
            updated_at: now,
        }
    }

    /// Moves on to the next version.
    pub fn advance(&mut self, now: chrono::DateTime<Utc>) {
        self.version = self.version.saturating_add(1);
        self.updated_at = Moment::new(now).after(self.updated_at);
    }
}

/// Implements [`Versioned`](trestle_table::Versioned) by the entity's field `stamp`.
#[macro_export]
macro_rules! versioned {
    ($($type:ty),+) => {$(
        impl $crate::table::Versioned for $type {
            fn version(&self) -> u32 {
                self.stamp.version
            }

            fn advance(&mut self, now: $crate::chrono::DateTime<$crate::chrono::Utc>) {
                self.stamp.advance(now);
            }
        }
    )+};
}
