//! The subscription: changes as they are announced. Knows not who announces them.

use std::collections::HashSet;
use std::sync::Arc;

use async_graphql::{Context, Enum, ID, Object, Subscription};
use futures_util::future::ready;
use futures_util::stream::{Stream, StreamExt as _};

use crate::api::{ApiError, Code};
use crate::applications::changes::{self, Announced, Changes, Missed};
use crate::applications::error::StoreError;
use crate::applications::model::{self, ApplicationId, Stage};
use crate::applications::store::{Detail, Entries, NodeKey, Part};

use super::id;
use super::types::{Application, store};

/// The most ids that a subscription takes.
const MAX_IDS: usize = 100;

/// What happened to an application.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[graphql(remote = "changes::ChangeKind")]
pub enum ApplicationChangeKind {
    /// It came.
    Created,
    /// Something of it changed: its fields, its stages, whether it is archived.
    Updated,
    /// It went.
    Deleted,
}

/// One change of an application.
pub struct ApplicationChange(Arc<Announced>);

/// One change of an application.
#[Object]
impl ApplicationChange {
    /// What happened.
    async fn kind(&self) -> ApplicationChangeKind {
        self.0.kind.into()
    }

    /// The id of the application.
    async fn application_id(&self) -> ID {
        id::encode(NodeKey::Application(self.0.id))
    }

    /// Its version after the change; for one that went, its last. Two changes made at the same time may
    /// come in either order: the greater version is the newer state.
    async fn version(&self) -> u32 {
        self.0.version
    }

    /// The application as the change left it; null for one that went.
    async fn application(&self, ctx: &Context<'_>) -> Option<Result<Application, ApiError>> {
        let application = self.0.application.clone()?;
        let stages = match &self.0.stages {
            Some(stages) => Ok(Some(stages.clone())),
            None if ctx.look_ahead().field("interviewStages").exists() => {
                stages(ctx, &application).await.map(Some)
            }
            None => Ok(None),
        };
        Some(stages.map(|stages| {
            let detail = Detail {
                application,
                stages: stages.map(Ok),
                history: None,
            };
            Application::detail(detail, None)
        }))
    }
}

/// The stages of exactly the announced version, by a loader of their own: the request's remembers all
/// that it has loaded, and a subscription has no end.
async fn stages(
    ctx: &Context<'_>,
    application: &model::Application,
) -> Result<Vec<Stage>, ApiError> {
    let entries = Entries::new(store(ctx)?.clone());
    Ok(entries.stages(application, Part::Stages).await?)
}

/// What can be watched.
pub struct Subscription;

/// What can be watched.
#[Subscription]
impl Subscription {
    /// Every application that is created, changed or deleted from now on, once for each change.
    /// When a client takes its changes more slowly than they are made, it ends with SERVICE_UNAVAILABLE:
    /// read anew what is shown, and subscribe again.
    async fn application_changed(
        &self,
        ctx: &Context<'_>,
        #[graphql(
            desc = "Only applications with these ids: 100 at most, all where left out or empty."
        )]
        ids: Option<Vec<ID>>,
        #[graphql(desc = "Only changes of these kinds; all where left out or empty.")]
        kinds: Option<Vec<ApplicationChangeKind>>,
    ) -> Result<impl Stream<Item = Result<ApplicationChange, ApiError>> + use<>, ApiError> {
        let ids = parse(ids.unwrap_or_default())?;
        let kinds: HashSet<_> = kinds.unwrap_or_default().into_iter().collect();
        let changes: &Changes = ctx
            .data_opt()
            .ok_or_else(|| ApiError::internal(StoreError::LostKey))?;
        let wanted = move |change: &Announced| {
            (ids.is_empty() || ids.contains(&change.id))
                && (kinds.is_empty() || kinds.contains(&change.kind.into()))
        };
        let watched = changes.watch().filter(move |change| {
            ready(match change {
                Ok(change) => wanted(change),
                Err(Missed) => true,
            })
        });
        Ok(watched.map(|change| match change {
            Ok(change) => Ok(ApplicationChange(change)),
            Err(Missed) => Err(missed()),
        }))
    }
}

fn parse(ids: Vec<ID>) -> Result<HashSet<ApplicationId>, ApiError> {
    if ids.len() > MAX_IDS {
        let message = format!("`ids` takes at most {MAX_IDS} ids.");
        return Err(ApiError::bad_input(message));
    }
    let parsed = ids.iter().map(|id| {
        id::application(id)
            .ok_or_else(|| ApiError::bad_input("`ids` holds what is no application's id."))
    });
    parsed.collect()
}

fn missed() -> ApiError {
    let message = "Changes were missed. Read anew what is shown, and subscribe again.";
    ApiError::new(Code::ServiceUnavailable, message).retry_after(std::time::Duration::from_secs(1))
}
