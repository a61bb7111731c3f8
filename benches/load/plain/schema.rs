//! The schema.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::connection::{Connection, Edge, query};
use async_graphql::dataloader::{DataLoader, Loader};
use async_graphql::{ComplexObject, Context, Error, ID, Object, Result};
use futures_util::future::try_join_all;

use super::model::{
    Application, ApplicationPayload, CreateApplicationInput, HistoryEntry, InterviewStage,
    UpdateApplicationInput,
};
use super::store::Store;

const PAGE: usize = 20;

pub struct Query;

#[Object]
impl Query {
    async fn application(&self, ctx: &Context<'_>, id: ID) -> Result<Option<Application>> {
        ctx.data::<Store>()?.detail(&id).await
    }

    async fn applications(
        &self,
        ctx: &Context<'_>,
        first: Option<i32>,
        after: Option<String>,
    ) -> Result<Connection<String, Application>> {
        let store = ctx.data::<Store>()?;
        query(after, None, first, None, async |after, _, first, _| {
            let size = first.unwrap_or(PAGE);
            let mut found = store.list(size + 1, after.clone()).await?;
            let more = found.len() > size;
            found.truncate(size);
            let mut page = Connection::new(after.is_some(), more);
            let edges = found.into_iter().map(|application| {
                let cursor = format!("UPDATED#{}#{}", application.updated_at, *application.id);
                Edge::new(cursor, application)
            });
            page.edges.extend(edges);
            Ok::<_, Error>(page)
        })
        .await
    }
}

#[ComplexObject]
impl Application {
    async fn interview_stages(&self, ctx: &Context<'_>) -> Result<Vec<InterviewStage>> {
        if let Some(stages) = &self.interview_stages {
            return Ok(stages.clone());
        }
        let loader = ctx.data::<DataLoader<Stages>>()?;
        let stages = loader.load_one(self.id.to_string()).await;
        Ok(stages
            .map_err(|error| Error::new(error.to_string()))?
            .unwrap_or_default())
    }

    async fn history(
        &self,
        ctx: &Context<'_>,
        first: Option<i32>,
        after: Option<String>,
    ) -> Result<Connection<i32, HistoryEntry>> {
        let store = ctx.data::<Store>()?;
        query(after, None, first, None, async |after, _, first, _| {
            let size = first.unwrap_or(PAGE);
            let mut found = match &self.history {
                Some(read) if after.is_none() => read.clone(),
                _ => store.history(&self.id, size + 1, after).await?,
            };
            let more = found.len() > size;
            found.truncate(size);
            let mut page = Connection::new(after.is_some(), more);
            let edges = found.into_iter();
            page.edges
                .extend(edges.map(|entry| Edge::new(entry.sequence, entry)));
            Ok::<_, Error>(page)
        })
        .await
    }
}

pub struct Mutation;

#[Object]
impl Mutation {
    async fn update_application(
        &self,
        ctx: &Context<'_>,
        input: UpdateApplicationInput,
    ) -> Result<ApplicationPayload> {
        let application = ctx.data::<Store>()?.update(&input).await?;
        Ok(done(application))
    }

    async fn create_application(
        &self,
        ctx: &Context<'_>,
        input: CreateApplicationInput,
    ) -> Result<ApplicationPayload> {
        let application = ctx.data::<Store>()?.create(input).await?;
        Ok(done(application))
    }
}

fn done(application: Application) -> ApplicationPayload {
    ApplicationPayload {
        application: Some(application),
        user_errors: Vec::new(),
    }
}

/// The stages of applications, by their ids.
pub struct Stages(pub Store);

impl Loader<String> for Stages {
    type Value = Vec<InterviewStage>;
    type Error = Arc<str>;

    async fn load(&self, ids: &[String]) -> Result<HashMap<String, Self::Value>, Arc<str>> {
        let each = ids.iter().map(async |id| {
            let stages = self.0.stages(id).await;
            let stages = stages.map_err(|error| Arc::<str>::from(error.message))?;
            Ok::<_, Arc<str>>((id.clone(), stages))
        });
        Ok(try_join_all(each).await?.into_iter().collect())
    }
}
