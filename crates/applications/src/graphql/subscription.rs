//! The subscription: changes as they are announced.

use std::collections::HashSet;
use std::sync::Arc;

use async_graphql::{Context, Enum, ID, Object, Subscription};
use futures_util::future::ready;
use futures_util::stream::{Stream, StreamExt as _};

use crate::changes::{self, Announced, Changes};
use crate::error::StoreError;
use crate::model::{self, ApplicationId, Stage};
use crate::store::{Applications, Detail, Entries, NodeKey, Part};
use trestle_api::{ApiError, Lagged};

use super::id;
use super::types::{Application, store};

/// The most ids that a subscription takes.
const MAX_IDS: usize = 100;

/// A kind of change.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[graphql(remote = "changes::ChangeKind")]
pub enum ApplicationChangeKind {
    /// Created.
    Created,
    /// Changed: its fields, its stages, its contacts, its files, or whether it is archived.
    Updated,
    /// Deleted.
    Deleted,
}

/// One change of an application.
pub struct ApplicationChange(Arc<Announced>);

/// One change of an application.
#[Object]
impl ApplicationChange {
    /// The kind of change.
    async fn kind(&self) -> ApplicationChangeKind {
        self.0.change.kind.into()
    }

    /// The application's id.
    async fn application_id(&self) -> ID {
        id::encode(&NodeKey::Application(self.0.change.id.clone()))
    }

    /// The application's version after the change; of a deleted one, its last. Concurrent changes may arrive in
    /// either order: the greater version is the newer state.
    async fn version(&self) -> u32 {
        self.0.change.version
    }

    /// The application after the change. Null if it was deleted.
    async fn application(&self, ctx: &Context<'_>) -> Option<Result<Application, ApiError>> {
        let application = self.0.change.application.clone()?;
        let stages = match &self.0.change.stages {
            Some(stages) => Ok(Some(stages.clone())),
            None if ctx.look_ahead().field("interviewStages").exists() => {
                stages(ctx, &application).await.map(Some)
            }
            None => Ok(None),
        };
        Some(stages.and_then(|stages| {
            let detail = Detail {
                application,
                stages: stages.map(Ok),
                history: None,
            };
            Application::detail(detail, None)
        }))
    }
}

/// The stages of exactly the announced version, by a loader of their own: that of the request keeps all that it
/// has loaded, and a subscription does not end.
async fn stages(
    ctx: &Context<'_>,
    application: &model::Application,
) -> Result<Vec<Stage>, ApiError> {
    let entries = Entries::new(store(ctx)?.clone());
    Ok(entries.stages(application, Part::Stages).await?)
}

/// The subscriptions.
pub struct Subscription;

/// The subscriptions.
#[Subscription]
impl Subscription {
    /// Each change of an application from now on. If a client receives changes more slowly than they are made, the
    /// subscription ends with SERVICE_UNAVAILABLE: read the shown data again, and subscribe again.
    async fn application_changed(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only applications with these ids, at most 100. Omitted or empty: all.")]
        ids: Option<Vec<ID>>,
        #[graphql(desc = "Only changes of these kinds. Omitted or empty: all.")] kinds: Option<
            Vec<ApplicationChangeKind>,
        >,
    ) -> Result<impl Stream<Item = Result<ApplicationChange, ApiError>> + use<>, ApiError> {
        let mut ids = parse(ids.unwrap_or_default())?;
        store(ctx)?.all_spelled(&mut ids).await?;
        let ids: HashSet<_> = ids.into_iter().collect();
        let kinds: HashSet<_> = kinds.unwrap_or_default().into_iter().collect();
        let changes: &Changes = ctx
            .data_opt()
            .ok_or_else(|| ApiError::internal(StoreError::LostKey))?;
        let scope = store(ctx)?.scope().clone();
        let watched = changes.watch().filter(move |announced| {
            ready(match announced {
                Ok(announced) => {
                    let change = &announced.change;
                    announced.scope == scope
                        && (ids.is_empty() || ids.contains(&change.id))
                        && (kinds.is_empty() || kinds.contains(&change.kind.into()))
                }
                Err(Lagged) => true,
            })
        });
        let store = store(ctx)?.clone();
        Ok(watched.filter_map(move |change| {
            let store = store.clone();
            async move {
                match change {
                    Ok(change) => read(&store, change).await.transpose(),
                    Err(missed) => Some(Err(missed.into())),
                }
            }
        }))
    }
}

/// A change with its application, which is read if only something beside it changed; `None` if it was deleted since.
async fn read(
    store: &Applications,
    announced: Arc<Announced>,
) -> Result<Option<ApplicationChange>, ApiError> {
    let change = &announced.change;
    if change.application.is_some() || change.kind == changes::ChangeKind::Deleted {
        return Ok(Some(ApplicationChange(announced)));
    }
    let Some(application) = store.alone(&change.id).await? else {
        return Ok(None);
    };
    Ok(Some(ApplicationChange(Arc::new(Announced {
        scope: announced.scope.clone(),
        change: changes::Change::seen(change.kind, application),
    }))))
}

fn parse(ids: Vec<ID>) -> Result<Vec<ApplicationId>, ApiError> {
    if ids.len() > MAX_IDS {
        let message = format!("`ids` must have at most {MAX_IDS} ids.");
        return Err(ApiError::bad_input(message));
    }
    let parsed = ids.iter().map(|id| {
        id::application(id)
            .ok_or_else(|| ApiError::bad_input("`ids` must hold ids of applications."))
    });
    parsed.collect()
}
