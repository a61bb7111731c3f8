//! Changes as they happen.

use std::sync::Arc;
use std::time::Duration;

use async_graphql::{Context, Subscription};
use futures_util::future::ready;
use futures_util::stream::{BoxStream, StreamExt as _, once, select};

use super::changes::{ShareableChange, ShareableChangeKind, kind_of};
use crate::live::Event;
use crate::request_context::{RequestContext, ServiceState, unopened};
use crate::shareable::Shareable;
use crate::short_id::ShortId;
use crate::token::Claims;
use trestle_api::{ApiError, EventBus};
use trestle_table::Tables;

/// Subscriptions.
pub struct Subscription;

/// Subscriptions.
#[Subscription]
impl Subscription {
    /// Changes of the shareable that the token opens, from now on. Ends with UNAUTHENTICATED when the token expires
    /// or its passcode changes, and with SERVICE_UNAVAILABLE if the client reads too slowly: read the current state, then
    /// subscribe again.
    async fn shareable_changed(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Short id of the shareable.")] short_id: String,
    ) -> Result<BoxStream<'static, Result<ShareableChange, ApiError>>, ApiError> {
        let context = RequestContext::of(ctx)?;
        let claims = context.watching_claims()?;
        if ShortId::parse(&short_id).as_ref() != Ok(&claims.short_id) {
            return Err(unopened());
        }
        let shared = ctx.data_opt::<Arc<ServiceState>>().ok_or_else(unopened)?;
        let watcher = Arc::new(Watcher {
            tables: context.tables().clone(),
            shared: Arc::clone(shared),
            claims: claims.clone(),
        });
        // Watched before the passcode is checked, so that no change in between is missed.
        let changes = watch(&context.shared.live, Arc::clone(&watcher));
        context.shareable(&claims).await?.ok_or_else(unopened)?;
        let left = claims.expires - context.now().timestamp();
        let left = Duration::from_secs(u64::try_from(left).unwrap_or_default());
        let changes = select(changes, rechecks(watcher)).take_until(tokio::time::sleep(left));
        let mut has_failed = false;
        let until_failed = move |change: &Result<ShareableChange, ApiError>| {
            ready(!std::mem::replace(&mut has_failed, change.is_err()))
        };
        let end = once(ready(Err(unopened())));
        Ok(changes.chain(end).take_while(until_failed).boxed())
    }
}

/// How often the passcode of someone who watches is compared with the stored one while nothing happens.
const RECHECK: Duration = Duration::from_secs(60);

/// Who watches.
struct Watcher {
    tables: Tables,
    shared: Arc<ServiceState>,
    claims: Claims,
}

impl Watcher {
    fn opens(&self, shareable: &Shareable) -> bool {
        self.shared
            .opens(&self.claims, shareable, self.tables.now())
    }

    /// What it sees of an event. The passcode is compared with the one that is stored after the event, which may have
    /// changed in another process: one GetItem for all who watch here.
    async fn sees(&self, event: Arc<Event>) -> Option<Result<ShareableChange, ApiError>> {
        let kind = kind_of(&event.what);
        let read = || self.tables.get::<Shareable>(&self.claims.short_id);
        let is_open = match event.current.get_or_try_init(read).await {
            Ok(Some(shareable)) => self.opens(shareable),
            Ok(None) => kind == Some(ShareableChangeKind::Deleted),
            Err(error) => return Some(Err(error.into())),
        };
        match (is_open, kind) {
            (false, _) => Some(Err(unopened())),
            // What this one was opened by has not changed.
            (true, None) => None,
            (true, Some(kind)) => {
                let claims = self.claims.clone();
                Some(Ok(ShareableChange::new(event, kind, claims)))
            }
        }
    }
}

fn watch(
    live: &EventBus<Event>,
    watcher: Arc<Watcher>,
) -> BoxStream<'static, Result<ShareableChange, ApiError>> {
    let changes = live.watch().filter_map(move |event| {
        let watcher = Arc::clone(&watcher);
        async move {
            match event {
                Ok(event) if event.short_id == watcher.claims.short_id => watcher.sees(event).await,
                Ok(_) => None,
                Err(missed) => Some(Err(missed.into())),
            }
        }
    });
    changes.boxed()
}

/// Fails when the passcode of someone who watches has changed. One GetItem a minute. What cannot be read now is
/// compared the next time.
fn rechecks(watcher: Arc<Watcher>) -> BoxStream<'static, Result<ShareableChange, ApiError>> {
    let changed = async move {
        loop {
            tokio::time::sleep(RECHECK).await;
            match watcher
                .tables
                .get::<Shareable>(&watcher.claims.short_id)
                .await
            {
                Ok(Some(shareable)) if watcher.opens(&shareable) => {}
                Ok(_) => return Err(unopened()),
                Err(error) => tracing::warn!(%error, "a watcher's passcode could not be compared"),
            }
        }
    };
    once(changed).boxed()
}
