//! The table, through the SDK and serde_dynamo.

use std::collections::HashMap;

use async_graphql::{Error, MaybeUndefined, Result};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::builders::PutBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, Put, TransactWriteItem, Update};
use chrono::{Datelike as _, NaiveDate, SecondsFormat, Utc};
use serde_dynamo::{from_item, to_item};
use uuid::Uuid;

use super::model::{
    Application, CreateApplicationInput, HistoryEntry, InterviewStage, Recorded, Status,
    UpdateApplicationInput,
};

const TABLE: &str = trestle_applications::TABLE.default_name;
/// The most stages and entries of a detail, and the application.
const PARTITION: i32 = 52;
/// The condition of an item that is not there yet.
const NEW: &str = "attribute_not_exists(PK)";

type Item = HashMap<String, AttributeValue>;

#[derive(Clone)]
pub struct Store {
    client: Client,
}

impl Store {
    pub fn new(client: Client) -> Self {
        Self { client }
    }

    /// An application with its stages and newest history: one Query of its partition.
    pub async fn detail(&self, id: &str) -> Result<Option<Application>> {
        let found = self
            .client
            .query()
            .table_name(TABLE)
            .key_condition_expression("PK = :pk")
            .expression_attribute_values(":pk", text(format!("APP#{id}")))
            .scan_index_forward(false)
            .limit(PARTITION)
            .consistent_read(true)
            .send()
            .await?;
        let (mut application, mut stages, mut history) = (None, Vec::new(), Vec::new());
        for item in found.items.unwrap_or_default() {
            let sort_key = item["SK"].as_s().map(String::as_str).unwrap_or_default();
            if sort_key.starts_with("STAGE#") {
                stages.push(from_item::<_, InterviewStage>(item)?);
            } else if sort_key.starts_with("HIST#") {
                history.push(from_item::<_, HistoryEntry>(item)?);
            } else {
                application = Some(from_item::<_, Application>(item)?);
            }
        }
        let application = match application {
            Some(application) => Some(application),
            None => self.application(id).await?,
        };
        stages.sort_by_key(|stage| stage.order);
        Ok(application.map(|application| Application {
            interview_stages: Some(stages),
            history: Some(history),
            ..application
        }))
    }

    async fn application(&self, id: &str) -> Result<Option<Application>> {
        let key = text(format!("APP#{id}"));
        let found = self.client.get_item().table_name(TABLE);
        let found = found.key("PK", key.clone()).key("SK", key);
        let found = found.consistent_read(true).send().await?;
        Ok(found.item.map(from_item).transpose()?)
    }

    /// A page of the applications that are not archived, the last changed first.
    pub async fn list(&self, limit: usize, after: Option<String>) -> Result<Vec<Application>> {
        let mut query = self
            .client
            .query()
            .table_name(TABLE)
            .index_name("GSI2")
            .expression_attribute_values(":pk", text("ACTIVE"));
        query = match after {
            None => query.key_condition_expression("GSI2PK = :pk"),
            Some(after) => query
                .key_condition_expression("GSI2PK = :pk AND GSI2SK < :after")
                .expression_attribute_values(":after", text(after)),
        };
        let found = query
            .scan_index_forward(false)
            .limit(limit.try_into()?)
            .send()
            .await?;
        let items = found.items.unwrap_or_default().into_iter();
        Ok(items.map(from_item).collect::<Result<_, _>>()?)
    }

    pub async fn stages(&self, id: &str) -> Result<Vec<InterviewStage>> {
        let items = self.beginning(id, "STAGE#", None, true).await?;
        let stages = items.into_iter().map(from_item);
        let mut stages: Vec<InterviewStage> = stages.collect::<Result<_, _>>()?;
        stages.sort_by_key(|stage| stage.order);
        Ok(stages)
    }

    pub async fn history(
        &self,
        id: &str,
        limit: usize,
        after: Option<i32>,
    ) -> Result<Vec<HistoryEntry>> {
        let items = self.beginning(id, "HIST#", None, false).await?;
        let entries = items.into_iter().map(from_item);
        let entries: Vec<HistoryEntry> = entries.collect::<Result<_, _>>()?;
        let entries = entries.into_iter();
        let entries = entries.filter(|entry| after.is_none_or(|after| entry.sequence < after));
        Ok(entries.take(limit).collect())
    }

    async fn beginning(
        &self,
        id: &str,
        prefix: &str,
        limit: Option<i32>,
        forward: bool,
    ) -> Result<Vec<Item>> {
        let found = self
            .client
            .query()
            .table_name(TABLE)
            .key_condition_expression("PK = :pk AND begins_with(SK, :prefix)")
            .expression_attribute_values(":pk", text(format!("APP#{id}")))
            .expression_attribute_values(":prefix", text(prefix))
            .scan_index_forward(forward)
            .set_limit(limit)
            .consistent_read(true)
            .send()
            .await?;
        Ok(found.items.unwrap_or_default())
    }

    /// Changes an application and adds an entry to its history, in one transaction. Tries again if somebody else was
    /// first.
    pub async fn update(&self, input: &UpdateApplicationInput) -> Result<Application> {
        loop {
            let newest = self.beginning(&input.id, "HIST#", Some(1), false).await?;
            let newest = newest.into_iter().next();
            let newest = newest.ok_or_else(|| Error::new("There is no such application."))?;
            let before: Recorded = from_item(newest)?;
            let next = changed(before.snapshot, input);
            let entry = recorded(&next, "Application changed");
            let version = number(next.version - 1);
            let written = self
                .client
                .transact_write_items()
                .transact_items(write(
                    put(stored(next.clone())?, "historySequence = :old")
                        .expression_attribute_values(":old", version),
                )?)
                .transact_items(write(put(entry_item(&entry)?, NEW))?)
                .send()
                .await;
            match written {
                Ok(_) => return Ok(next),
                Err(error) if is_canceled(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Creates an application with its first entry, and counts it.
    pub async fn create(&self, input: CreateApplicationInput) -> Result<Application> {
        let application = new(input);
        let entry = recorded(&application, "Application created");
        let status = status_key(&application);
        let mut writes = self
            .client
            .transact_write_items()
            .transact_items(write(put(stored(application.clone())?, NEW))?)
            .transact_items(write(put(entry_item(&entry)?, NEW))?)
            .transact_items(count("META", "COUNT", &["count", &status])?);
        if let Some(date) = &application.date_applied {
            let week = date.parse::<NaiveDate>()?.iso_week();
            let year = format!("APPLIED#{:04}", week.year());
            let counter = format!("W{:02}", week.week());
            writes = writes.transact_items(count("INSIGHT", &year, &[&counter])?);
        }
        writes.send().await?;
        Ok(application)
    }
}

fn put(item: Item, condition: &str) -> PutBuilder {
    Put::builder()
        .table_name(TABLE)
        .set_item(Some(item))
        .condition_expression(condition)
}

fn write(put: PutBuilder) -> Result<TransactWriteItem> {
    Ok(TransactWriteItem::builder().put(put.build()?).build())
}

/// Adds one to counters of an item.
fn count(pk: &str, sk: &str, counters: &[&str]) -> Result<TransactWriteItem> {
    let adds: Vec<_> = (0..counters.len()).map(|n| format!("#c{n} :one")).collect();
    let mut update = Update::builder()
        .table_name(TABLE)
        .key("PK", text(pk))
        .key("SK", text(sk))
        .update_expression(format!("ADD {}", adds.join(", ")))
        .expression_attribute_values(":one", number(1));
    for (n, counter) in counters.iter().enumerate() {
        update = update.expression_attribute_names(format!("#c{n}"), *counter);
    }
    Ok(TransactWriteItem::builder().update(update.build()?).build())
}

/// The application's item, with its keys.
fn stored(application: Application) -> Result<Item> {
    let key = text(format!("APP#{}", *application.id));
    let place = format!("UPDATED#{}#{}", application.updated_at, *application.id);
    let status = status_key(&application);
    let mut item: Item = to_item(Application {
        interview_stages: None,
        ..application
    })?;
    item.insert("PK".to_owned(), key.clone());
    item.insert("SK".to_owned(), key);
    item.insert("GSI1PK".to_owned(), text(status));
    item.insert("GSI1SK".to_owned(), text(place.clone()));
    item.insert("GSI2PK".to_owned(), text("ACTIVE"));
    item.insert("GSI2SK".to_owned(), text(place));
    Ok(item)
}

fn entry_item(entry: &Recorded) -> Result<Item> {
    let mut item: Item = to_item(entry)?;
    item.insert(
        "PK".to_owned(),
        text(format!("APP#{}", *entry.application_id)),
    );
    item.insert("SK".to_owned(), text(format!("HIST#{:08}", entry.sequence)));
    Ok(item)
}

fn recorded(application: &Application, description: &str) -> Recorded {
    Recorded {
        id: Uuid::new_v4().into(),
        application_id: application.id.clone(),
        sequence: application.version,
        description: description.to_owned(),
        created_at: application.updated_at.clone(),
        snapshot: application.clone(),
    }
}

fn changed(mut application: Application, input: &UpdateApplicationInput) -> Application {
    fn set<T: Clone>(field: &mut Option<T>, input: &MaybeUndefined<T>) {
        match input {
            MaybeUndefined::Undefined => {}
            MaybeUndefined::Null => *field = None,
            MaybeUndefined::Value(value) => *field = Some(value.clone()),
        }
    }
    if let Some(name) = &input.company_name {
        application.company_name = name.clone();
    }
    if let Some(title) = &input.position_title {
        application.position_title = title.clone();
    }
    set(&mut application.date_applied, &input.date_applied);
    set(&mut application.job_posting_url, &input.job_posting_url);
    set(&mut application.company_category, &input.company_category);
    set(&mut application.notes, &input.notes);
    set(&mut application.salary_min, &input.salary_min);
    set(&mut application.salary_max, &input.salary_max);
    application.version += 1;
    application.updated_at = now();
    application
}

fn new(input: CreateApplicationInput) -> Application {
    let now = now();
    Application {
        id: input.id.unwrap_or_else(|| Uuid::new_v4().into()),
        version: 1,
        company_name: input.company_name,
        position_title: input.position_title,
        status: input.status,
        date_applied: input.date_applied,
        offer_due_date: None,
        company_url: None,
        job_posting_url: input.job_posting_url,
        company_career_url: None,
        company_category: input.company_category,
        job_source: None,
        skills_match: None,
        cover_letter_required: None,
        special_requirements: None,
        notes: input.notes,
        salary_min: input.salary_min,
        salary_max: input.salary_max,
        is_archived: false,
        created_at: now.clone(),
        updated_at: now.clone(),
        status_since: Some(now),
        status_since_status: Some(input.status),
        interview_stages: Some(Vec::new()),
        history: None,
    }
}

fn status_key(application: &Application) -> String {
    let status = match application.status {
        Status::Unsubmitted => "unsubmitted",
        Status::Applied => "applied",
        Status::Rejected => "rejected",
        Status::Interviewing => "interviewing",
        Status::GivenOffer => "given offer",
        Status::AcceptedOffer => "accepted offer",
        Status::DeclinedOffer => "declined offer",
        Status::NoOffer => "no offer",
    };
    format!(
        "STATUS#{status}#ARCHIVED#{}",
        u8::from(application.is_archived)
    )
}

fn now() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true)
}

fn text(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

fn number(number: i32) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

fn is_canceled(error: &SdkError<TransactWriteItemsError>) -> bool {
    let error = error.as_service_error();
    error.is_some_and(TransactWriteItemsError::is_transaction_canceled_exception)
}
