//! Creates tables, and checks that they are what their definition says.

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::create_table::CreateTableError;
use aws_sdk_dynamodb::operation::describe_table::DescribeTableError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, GlobalSecondaryIndexDescription,
    IndexStatus, KeySchemaElement, KeyType, PointInTimeRecoverySpecification, Projection,
    ProjectionType, TableDescription, TableStatus, TimeToLiveSpecification,
};

use super::{
    Exhausted, IndexDefinition, KeyAttribute, Meter, Retries, Table, TableDefinition, TableError,
    TableOptions,
};

/// How often a new table is looked at, a second or two apart: DynamoDB takes up to some minutes.
const ACTIVE_TRIES: usize = 120;

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableCheck {
    /// The table is there, active, and what the service needs.
    Good,
    /// There is no such table.
    Missing,
    /// It is there and differs; each line says in what.
    Differs(Vec<String>),
}

/// The result of a request to create a table.
enum Creation {
    Begun,
    /// A table of that name is there.
    NotNeeded,
}

impl Table {
    /// Creates the table, billed by request, and waits until it is active. An existing table with this name is
    /// not changed.
    ///
    /// # Errors
    /// As every call.
    pub async fn create(&self) -> Result<(), TableError> {
        self.create_with(&TableOptions::default()).await
    }

    /// As [`Table::create`], with options.
    ///
    /// # Errors
    /// As every call.
    pub async fn create_with(&self, options: &TableOptions) -> Result<(), TableError> {
        let creation = self.request_creation(options).await?;
        // An existing one may have been created just now, by someone else.
        self.wait_until_active().await?;
        self.let_expire().await?;
        match creation {
            Creation::Begun if options.point_in_time_recovery => self.keep_backups().await,
            Creation::Begun | Creation::NotNeeded => Ok(()),
        }
    }

    async fn keep_backups(&self) -> Result<(), TableError> {
        let specification = PointInTimeRecoverySpecification::builder()
            .point_in_time_recovery_enabled(true)
            .build()
            .map_err(TableError::built)?;
        let request = self
            .client
            .update_continuous_backups()
            .table_name(self.name())
            .point_in_time_recovery_specification(specification);
        let sent = request.send().await;
        sent.map(drop)
            .map_err(|e| TableError::of("UpdateContinuousBackups", e))
    }

    /// Has DynamoDB delete what has expired, where items do; asked twice it refuses, which is as good.
    async fn let_expire(&self) -> Result<(), TableError> {
        let Some(attribute) = self.definition.expires else {
            return Ok(());
        };
        let specification = TimeToLiveSpecification::builder()
            .attribute_name(attribute)
            .enabled(true)
            .build()
            .map_err(TableError::built)?;
        let request = self
            .client
            .update_time_to_live()
            .table_name(self.name())
            .time_to_live_specification(specification);
        match request
            .send()
            .await
            .map_err(|e| TableError::of("UpdateTimeToLive", e))
        {
            Err(TableError::Refused { code, .. }) if code == "ValidationException" => Ok(()),
            other => other.map(drop),
        }
    }

    /// As [`Table::create`], without asking after a table that is there: the embedded store counts all its
    /// items to describe it.
    ///
    /// # Errors
    /// As every call.
    pub async fn open_or_create(&self) -> Result<(), TableError> {
        match self.request_creation(&TableOptions::default()).await? {
            Creation::Begun => {
                self.wait_until_active().await?;
                self.let_expire().await
            }
            Creation::NotNeeded => Ok(()),
        }
    }

    async fn request_creation(&self, options: &TableOptions) -> Result<Creation, TableError> {
        let definition = self.definition;
        let indexes = definition
            .indexes
            .iter()
            .map(|index| index_request(index))
            .collect::<Result<Vec<_>, _>>();
        let created = self
            .client
            .create_table()
            .table_name(self.name())
            .billing_mode(BillingMode::PayPerRequest)
            .set_key_schema(Some(key_schema(
                definition.partition_key,
                Some(definition.sort_key),
            )?))
            .set_attribute_definitions(Some(attribute_definitions(definition)?))
            .set_global_secondary_indexes(Some(indexes?).filter(|indexes| !indexes.is_empty()))
            .set_deletion_protection_enabled(options.deletion_protection.then_some(true))
            .set_stream_specification(options.stream_specification()?)
            .set_tags(options.tags()?)
            .set_on_demand_throughput(options.throughput())
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

    /// The number of items of the table as DynamoDB last counted them: about every six hours. The embedded store counts
    /// at once. `None` if there is no such table, or no number.
    ///
    /// # Errors
    /// As every call.
    pub async fn item_count(&self) -> Result<Option<u64>, TableError> {
        let count = self.describe().await?.and_then(|table| table.item_count);
        Ok(count.and_then(|count| count.try_into().ok()))
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
    pub async fn check(&self) -> Result<TableCheck, TableError> {
        let described = self.describe().await?;
        let Some(table) = described else {
            return Ok(TableCheck::Missing);
        };
        let differences = differences(self.definition, &table);
        Ok(if differences.is_empty() {
            TableCheck::Good
        } else {
            TableCheck::Differs(differences)
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
    let (partition, sort) = (definition.partition_key, Some(definition.sort_key));
    differences.extend(key_difference("table", table.key_schema(), partition, sort));
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
    let keys = definition.key_attributes();
    for attribute in table.attribute_definitions() {
        let name = attribute.attribute_name();
        let key = keys.iter().find(|key| key.name == name);
        if let Some(key) = key.filter(|key| attribute.attribute_type() != &key.scalar()) {
            let wanted = if key.is_number {
                "number (N)"
            } else {
                "string (S)"
            };
            differences.push(format!("attribute {name}: must be a {wanted}"));
        }
    }
    differences
}

fn key_difference(
    what: &str,
    found: &[KeySchemaElement],
    partition: KeyAttribute,
    sort: Option<KeyAttribute>,
) -> Option<String> {
    let found = found
        .iter()
        .map(|key| (key.attribute_name(), key.key_type().clone()));
    let wanted = [(partition.name, KeyType::Hash)];
    let wanted = wanted
        .into_iter()
        .chain(sort.map(|sort| (sort.name, KeyType::Range)));
    (!found.eq(wanted)).then(|| match sort {
        Some(sort) => format!(
            "{what}: the key must be {} (partition) and {} (sort)",
            partition.name, sort.name
        ),
        None => format!(
            "{what}: the key must be {} (partition) alone",
            partition.name
        ),
    })
}

fn index_differences(
    index: &IndexDefinition,
    found: &GlobalSecondaryIndexDescription,
) -> Vec<String> {
    let what = format!("index {}", index.name);
    let (partition, sort) = (index.partition_key, index.sort_key);
    let difference = key_difference(&what, found.key_schema(), partition, sort);
    let mut differences = Vec::from_iter(difference);
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

fn attribute_definitions(
    definition: &TableDefinition,
) -> Result<Vec<AttributeDefinition>, TableError> {
    definition
        .key_attributes()
        .into_iter()
        .map(|key| {
            AttributeDefinition::builder()
                .attribute_name(key.name)
                .attribute_type(key.scalar())
                .build()
                .map_err(TableError::built)
        })
        .collect()
}

fn key_schema(
    partition: KeyAttribute,
    sort: Option<KeyAttribute>,
) -> Result<Vec<KeySchemaElement>, TableError> {
    let keys = [(partition, KeyType::Hash)].into_iter();
    keys.chain(sort.map(|sort| (sort, KeyType::Range)))
        .map(|(key, kind)| {
            KeySchemaElement::builder()
                .attribute_name(key.name)
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
