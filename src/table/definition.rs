//! What a table is: its key, its indexes; creating it, and checking one that is there.

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::create_table::CreateTableError;
use aws_sdk_dynamodb::operation::describe_table::DescribeTableError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection,
    ProjectionType, ScalarAttributeType, TableStatus,
};

use super::{Exhausted, Meter, Retries, Table, TableError};

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

impl Table {
    /// Creates the table, billed by request, and waits until it is active. A table of that name is left
    /// as it is.
    ///
    /// # Errors
    /// As every call.
    pub async fn create(&self) -> Result<(), TableError> {
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
            Ok(_) => self.wait_until_active().await,
            Err(error) if is_taken(&error) => Ok(()),
            Err(error) => Err(TableError::of("CreateTable", error)),
        }
    }

    pub(super) async fn wait_until_active(&self) -> Result<(), TableError> {
        let mut retries = Retries::new(20, &Meter::default());
        loop {
            let described = self
                .client
                .describe_table()
                .table_name(self.name())
                .send()
                .await;
            let table = described
                .map_err(|e| TableError::of("DescribeTable", e))?
                .table;
            if table.and_then(|t| t.table_status) == Some(TableStatus::Active) {
                return Ok(());
            }
            retries
                .pause()
                .await
                .map_err(|Exhausted| TableError::NotActive)?;
        }
    }

    /// Compares the table that is there with its definition.
    ///
    /// # Errors
    /// As every call.
    pub async fn check(&self) -> Result<Verdict, TableError> {
        let described = match self
            .client
            .describe_table()
            .table_name(self.name())
            .send()
            .await
        {
            Ok(described) => described.table,
            Err(e)
                if e.as_service_error()
                    .is_some_and(DescribeTableError::is_resource_not_found_exception) =>
            {
                None
            }
            Err(e) => return Err(TableError::of("DescribeTable", e)),
        };
        let Some(table) = described else {
            return Ok(Verdict::Missing);
        };
        let mut differences = Vec::new();
        let mut compare = |what: &str, found: &[KeySchemaElement], (pk, sk): (&str, &str)| {
            let wanted = [(pk, KeyType::Hash), (sk, KeyType::Range)];
            if !found
                .iter()
                .map(|k| (k.attribute_name(), k.key_type().clone()))
                .eq(wanted)
            {
                differences.push(format!(
                    "{what}: the key must be {pk} (partition) and {sk} (sort)"
                ));
            }
        };
        let definition = self.definition;
        compare(
            "table",
            table.key_schema(),
            (definition.partition_key, definition.sort_key),
        );
        let mut missing = Vec::new();
        for wanted in definition.indexes {
            let found = table
                .global_secondary_indexes()
                .iter()
                .find(|i| i.index_name() == Some(wanted.name));
            let Some(found) = found else {
                missing.push(format!("index {}: missing", wanted.name));
                continue;
            };
            let what = format!("index {}", wanted.name);
            compare(
                &what,
                found.key_schema(),
                (wanted.partition_key, wanted.sort_key),
            );
            let projection = found.projection().and_then(|p| p.projection_type());
            if projection != Some(&ProjectionType::All) {
                missing.push(format!("{what}: must project ALL"));
            }
        }
        differences.extend(missing);
        for (attribute, kind) in table
            .attribute_definitions()
            .iter()
            .map(|a| (a.attribute_name(), a.attribute_type()))
        {
            if key_attributes(definition).contains(&attribute) && kind != &ScalarAttributeType::S {
                differences.push(format!("attribute {attribute}: must be a string (S)"));
            }
        }
        if table.table_status() != Some(&TableStatus::Active)
            && table.table_status() != Some(&TableStatus::Updating)
        {
            differences.push("table: not active".to_owned());
        }
        Ok(if differences.is_empty() {
            Verdict::Good
        } else {
            Verdict::Differs(differences)
        })
    }
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
