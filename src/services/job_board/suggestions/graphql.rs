//! Suggestions in the API.

use async_graphql::{ComplexObject, Context, ID, Object};

use crate::api::{Answer, Connection, Node as _, page, session};
use crate::domain::{Moment, Seconds};
use crate::services::job_board::access::Party;
use crate::services::job_board::jobs::Job;
use crate::services::job_board::table::READ_FOR_A_PAGE;

use super::relevance::Relevance;
use super::{OfOpenJobs, Suggestion, of_seeker};

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
    async fn suggested_job(&self, ctx: &Context<'_>) -> Answer<Job> {
        let job = async { session(ctx)?.load::<Job>(&self.job).await };
        job.await.transpose()
    }
}

/// Queries of suggestions.
#[derive(Default)]
pub struct SuggestionQuery;

#[Object]
impl SuggestionQuery {
    /// Jobs that are suggested to the viewer: the most relevant first, or of one level the newest jobs first. A page is
    /// short after 2,000 suggestions were read. Needs the role `seeker`.
    async fn suggestions(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Returns only suggestions of this level.")] relevance: Option<Relevance>,
    ) -> Answer<Connection<Suggestion>> {
        let page = async {
            let session = session(ctx)?;
            let seeker = Party::Seeker.must_be(session)?;
            let now = session.tables.now().timestamp();
            let suggestions = of_seeker(&seeker, relevance, now).reading_at_most(READ_FOR_A_PAGE);
            page(ctx, &suggestions, &OfOpenJobs(session)).await
        };
        Some(page.await)
    }
}
