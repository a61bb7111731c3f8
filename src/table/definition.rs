//! What a table is: its key, its indexes; creating it, and checking one that is there.

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::create_table::CreateTableError;
use aws_sdk_dynamodb::operation::describe_table::DescribeTableError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, GlobalSecondaryIndexDescription,
    IndexStatus, KeySchemaElement, KeyType, Projection, ProjectionType, ScalarAttributeType,
    TableDescription, TableStatus,
};

use super::{Exhausted, Meter, Retries, Table, TableError};

/// How often a new table is looked at, a second or two apart: DynamoDB takes up to some minutes.
const ACTIVE_TRIES: usize = 120;

/// A table's key and indexes. All key attributes are strings; every index projects ALL.
#[derive(Debug, PartialEq, Eq)]
pub struct TableDefinition {
    /// What the table is called unless the deployment says otherwise: 3 to 255 of `a-zA-Z0-9_.-`.
    pub default_name: &'static str,
    /// The attribute that holds the partition key.
    pub partition_key: &'static str,
    /// The attribute that holds the sort key.
    pub sort_key: &'static str,
    /// The global secondary indexes.
    pub indexes: &'static [IndexDefinition],
}

/// A global secondary index.
#[derive(Debug, PartialEq, Eq)]
pub struct IndexDefinition {
    /// The index's name: 3 to 255 of `a-zA-Z0-9_.-`.
    pub name: &'static str,
    /// The attribute that holds its partition key.
    pub partition_key: &'static str,
    /// The attribute that holds its sort key.
    pub sort_key: &'static str,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The table is there, active, and what the service needs.
    Good,
    /// There is no such table.
    Missing,
    /// It is there and differs; each line says in what.
    Differs(Vec<String>),
}

/// What became of a request to create a table.
enum Creation {
    Begun,
    /// A table of that name is there.
    NotNeeded,
}

impl Table {
    /// Creates the table, billed by request, and waits until it is active. A table of that name is left
    /// as it is.
    ///
    /// # Errors
    /// As every call.
    pub async fn create(&self) -> Result<(), TableError> {
        // One that is there may have been made just now, by someone else.
        self.request_creation().await?;
        self.wait_until_active().await
    }

    /// As [`Table::create`], without asking after a table that is there: the embedded store counts all its
    /// items to describe it.
    ///
    /// # Errors
    /// As every call.
    pub async fn open_or_create(&self) -> Result<(), TableError> {
        match self.request_creation().await? {
            Creation::Begun => self.wait_until_active().await,
            Creation::NotNeeded => Ok(()),
        }
    }

    async fn request_creation(&self) -> Result<Creation, TableError> {
        let definition = self.definition;
        let indexes = definition
            .indexes
            .iter()
            .map(index_request)
            .collect::<Result<Vec<_>, _>>();
        let created = self
            .client
            .create_table()
            .table_name(self.name())
            .billing_mode(BillingMode::PayPerRequest)
            .set_key_schema(Some(key_schema(
                definition.partition_key,
                definition.sort_key,
            )?))
            .set_attribute_definitions(Some(attribute_definitions(definition)?))
            .set_global_secondary_indexes(Some(indexes?).filter(|indexes| !indexes.is_empty()))
            .send()
            .await;
        match created {
            Ok(_) => Ok(Creation::Begun),
            Err(error) if is_taken(&error) => Ok(Creation::NotNeeded),
            Err(error) => Err(TableError::of("CreateTable", error)),
        }
    }

    pub(super) async fn wait_until_active(&self) -> Result<(), TableError> {
        let mut retries = Retries::slow(ACTIVE_TRIES, &Meter::default());
        loop {
            let status = self.describe().await?.and_then(|table| table.table_status);
            // While it is being changed it answers; right after its creation it may not be found yet.
            if matches!(status, Some(TableStatus::Active | TableStatus::Updating)) {
                return Ok(());
            }
            retries
                .pause()
                .await
                .map_err(|Exhausted| TableError::NotActive)?;
        }
    }

    /// What DynamoDB says of the table; `None` where it is not there.
    async fn describe(&self) -> Result<Option<TableDescription>, TableError> {
        let request = self.client.describe_table().table_name(self.name());
        match request.send().await {
            Ok(described) => Ok(described.table),
            Err(e)
                if e.as_service_error()
                    .is_some_and(DescribeTableError::is_resource_not_found_exception) =>
            {
                Ok(None)
            }
            Err(e) => Err(TableError::of("DescribeTable", e)),
        }
    }

    /// Compares the table that is there with its definition.
    ///
    /// # Errors
    /// As every call.
    pub async fn check(&self) -> Result<Verdict, TableError> {
        let described = self.describe().await?;
        let Some(table) = described else {
            return Ok(Verdict::Missing);
        };
        let differences = differences(self.definition, &table);
        Ok(if differences.is_empty() {
            Verdict::Good
        } else {
            Verdict::Differs(differences)
        })
    }
}

/// In what a table that is there is not what it is to be.
fn differences(definition: &TableDefinition, table: &TableDescription) -> Vec<String> {
    let mut differences = Vec::new();
    if !matches!(
        table.table_status(),
        Some(TableStatus::Active | TableStatus::Updating)
    ) {
        differences.push("table: not active".to_owned());
    }
    let key = (definition.partition_key, definition.sort_key);
    differences.extend(key_difference("table", table.key_schema(), key));
    for index in definition.indexes {
        let all = table.global_secondary_indexes();
        let found = all
            .iter()
            .find(|found| found.index_name() == Some(index.name));
        match found {
            Some(found) => differences.extend(index_differences(index, found)),
            None => differences.push(format!("index {}: missing", index.name)),
        }
    }
    let keys = key_attributes(definition);
    for attribute in table.attribute_definitions() {
        let name = attribute.attribute_name();
        if keys.contains(&name) && attribute.attribute_type() != &ScalarAttributeType::S {
            differences.push(format!("attribute {name}: must be a string (S)"));
        }
    }
    differences
}

fn key_difference(
    what: &str,
    found: &[KeySchemaElement],
    (partition, sort): (&str, &str),
) -> Option<String> {
    let found = found
        .iter()
        .map(|key| (key.attribute_name(), key.key_type().clone()));
    let wanted = [(partition, KeyType::Hash), (sort, KeyType::Range)];
    (!found.eq(wanted))
        .then(|| format!("{what}: the key must be {partition} (partition) and {sort} (sort)"))
}

fn index_differences(
    index: &IndexDefinition,
    found: &GlobalSecondaryIndexDescription,
) -> Vec<String> {
    let what = format!("index {}", index.name);
    let key = (index.partition_key, index.sort_key);
    let mut differences = Vec::from_iter(key_difference(&what, found.key_schema(), key));
    if found.projection().and_then(|p| p.projection_type()) != Some(&ProjectionType::All) {
        differences.push(format!("{what}: must project ALL"));
    }
    // One that is being filled answers a part of what is there.
    if !matches!(
        found.index_status(),
        None | Some(IndexStatus::Active | IndexStatus::Updating)
    ) {
        differences.push(format!("{what}: not active"));
    }
    differences
}

fn is_taken<R>(error: &SdkError<CreateTableError, R>) -> bool {
    error
        .as_service_error()
        .is_some_and(CreateTableError::is_resource_in_use_exception)
}

fn key_attributes(definition: &TableDefinition) -> Vec<&'static str> {
    let mut names = vec![definition.partition_key, definition.sort_key];
    names.extend(
        definition
            .indexes
            .iter()
            .flat_map(|i| [i.partition_key, i.sort_key]),
    );
    names.sort_unstable();
    names.dedup();
    names
}

fn attribute_definitions(
    definition: &TableDefinition,
) -> Result<Vec<AttributeDefinition>, TableError> {
    key_attributes(definition)
        .into_iter()
        .map(|name| {
            AttributeDefinition::builder()
                .attribute_name(name)
                .attribute_type(ScalarAttributeType::S)
                .build()
                .map_err(TableError::built)
        })
        .collect()
}

fn key_schema(partition: &str, sort: &str) -> Result<Vec<KeySchemaElement>, TableError> {
    [(partition, KeyType::Hash), (sort, KeyType::Range)]
        .into_iter()
        .map(|(name, kind)| {
            KeySchemaElement::builder()
                .attribute_name(name)
                .key_type(kind)
                .build()
                .map_err(TableError::built)
        })
        .collect()
}

fn index_request(index: &IndexDefinition) -> Result<GlobalSecondaryIndex, TableError> {
    GlobalSecondaryIndex::builder()
        .index_name(index.name)
        .set_key_schema(Some(key_schema(index.partition_key, index.sort_key)?))
        .projection(
            Projection::builder()
                .projection_type(ProjectionType::All)
                .build(),
        )
        .build()
        .map_err(TableError::built)
}
