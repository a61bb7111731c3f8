//! Suggestions in the API.

use std::sync::Arc;

use async_graphql::{ComplexObject, Context, ID, Object};
use futures_util::future::try_join;

use crate::access::Party;
use crate::jobs::Job;
use crate::runs::renewal::{self, Look, Renewal};
use crate::runs::{Run, Target};
use crate::service_state::{ServiceState, service_state};
use crate::table::READ_FOR_A_PAGE;
use trestle_api::{
    ApiError, Connection, Node as _, PlacedRow, QueryResult, Session, following, page_args, session,
};
use trestle_domain::{Moment, Seconds, UserId};
use trestle_table::{PageAsk, VisibilityFilter as _};

use super::reason::Relevance;
use super::{OfOpenJobs, Suggestion, locate, of_seeker};

#[ComplexObject]
impl Suggestion {
    /// Global id: opaque and stable until the suggestion's relevance changes.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// When the suggestion expires.
    #[graphql(name = "expiresAt")]
    async fn expiry(&self) -> Option<Moment<Seconds>> {
        self.expires_at()
    }

    /// The job.
    #[graphql(name = "job")]
    async fn suggested_job(&self, ctx: &Context<'_>) -> QueryResult<Job> {
        let job = async { session(ctx)?.load::<Job>(&self.job).await };
        job.await.transpose()
    }
}

/// Queries of suggestions.
#[derive(Default)]
pub struct SuggestionQuery;

#[Object]
impl SuggestionQuery {
    /// Jobs that are suggested to the viewer: by level, then by score, then the newest first. If the suggestions are older
    /// than a day, they are made anew in the background. Needs the role `seeker`.
    async fn suggestions(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Returns only suggestions of this level.")] relevance: Option<Relevance>,
    ) -> QueryResult<Connection<Suggestion>> {
        let page = async {
            let session = session(ctx)?;
            let seeker = Party::Seeker.must_be(session)?;
            let args = page_args(ctx.field())?;
            let list = format!("suggestions/ordered {relevance:?}");
            let cursor = args.place(&list, |bytes| Some(bytes.to_vec()))?;
            // Before the list, so that what says that no run is under way is true for the list of the same answer.
            if args.cursor.is_none() {
                run_state(session, &seeker).await?;
            }
            let found = placed(session, &seeker, relevance).await?;
            if args.cursor.is_none() {
                let is_empty = relevance.is_none().then_some(found.is_empty());
                look(session, service_state(ctx)?, &seeker, is_empty).await?;
            }
            let found = following(&args, cursor, found);
            let found = first_open(session, found, args.size + 1).await?;
            Ok(Connection::of_following(&args, &list, found))
        };
        Some(page.await)
    }
}

/// The runs of a seeker as the request finds them first.
pub struct RunState {
    /// Whether a run is waiting or under way.
    pub is_pending: bool,
    /// When the last one was done.
    made_at: Option<Moment>,
}

/// The runs of a seeker, read once for all fields of a request. One BatchGetItem.
pub async fn run_state(session: &Session, seeker: &UserId) -> Result<Arc<RunState>, ApiError> {
    let read = async {
        let target = Target::Seeker(seeker.clone());
        let run = session.load::<Run>(&target);
        let (run, last) = try_join(run, session.load::<Renewal>(seeker)).await?;
        Ok::<_, ApiError>(RunState {
            is_pending: run.is_some(),
            made_at: last.and_then(|last| last.made_at),
        })
    };
    Box::pin(session.once(Box::pin(read))).await
}

/// What the request's look at the list of suggestions finds: one look, whichever of its fields looks first.
pub async fn look(
    session: &Session,
    service: &ServiceState,
    seeker: &UserId,
    is_empty: Option<bool>,
) -> Result<Arc<Look>, ApiError> {
    let is_empty = async {
        if let Some(is_empty) = is_empty {
            return Ok(is_empty);
        }
        let live = of_seeker(seeker, session.tables.now().timestamp());
        let page = session.tables.page(&live, &PageAsk::first(1), &()).await?;
        Ok(page.rows.is_empty())
    };
    let looked = async {
        let made_at = run_state(session, seeker).await?.made_at;
        let looked = renewal::look(&session.tables, seeker, made_at, is_empty).await?;
        if let Look::Started(target) = &looked {
            service.run(target.clone());
        }
        Ok(looked)
    };
    // Boxed, so that the futures of both fields stay small.
    Box::pin(session.once(Box::pin(looked))).await
}

/// All suggestions of a seeker, of one level or of all. One Query for every 1,000; runs make at most 200.
async fn placed(
    session: &Session,
    seeker: &UserId,
    relevance: Option<Relevance>,
) -> Result<Vec<PlacedRow<Suggestion>>, ApiError> {
    let live = of_seeker(seeker, session.tables.now().timestamp());
    let mut ask = PageAsk::first(READ_FOR_A_PAGE / 2 - 1);
    let mut found = Vec::new();
    loop {
        let page = session.tables.page(&live, &ask, &()).await?;
        let last = page.rows.last().map(|row| row.place.clone());
        for row in page.rows {
            // An earlier version may have stored what this one cannot read; it expires within a week.
            let readable = row
                .entity
                .inspect_err(|error| tracing::warn!(%error, "a suggestion is left out"));
            let Ok(suggestion) = readable else { continue };
            if relevance.is_none_or(|level| level == suggestion.relevance) {
                found.push(suggestion);
            }
        }
        match last.filter(|_| page.more) {
            Some(place) => ask.place = Some(place),
            None => break,
        }
    }
    locate(session, &mut found).await?;
    let found = found.into_iter();
    Ok(found.map(|one| (one.position(), one)).collect())
}

/// The first suggestions whose jobs are open. One BatchGetItem, more if jobs are closed.
async fn first_open(
    session: &Session,
    rows: Vec<PlacedRow<Suggestion>>,
    limit: usize,
) -> Result<Vec<PlacedRow<Suggestion>>, ApiError> {
    let mut found = Vec::new();
    let mut rows = rows.into_iter().peekable();
    while found.len() < limit && rows.peek().is_some() {
        let next: Vec<_> = rows.by_ref().take(limit - found.len()).collect();
        let suggestions: Vec<_> = next.iter().map(|(_, suggestion)| suggestion).collect();
        let open = OfOpenJobs(session).admit(&suggestions).await?;
        let next = next.into_iter().zip(open);
        found.extend(next.filter_map(|(row, is_open)| is_open.then_some(row)));
    }
    Ok(found)
}
