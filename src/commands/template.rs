//! Tables as infrastructure code: CloudFormation and Terraform, both in their JSON syntax.

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use trestle_table::{KeyAttribute, TableDefinition, TableOptions};

/// The tool that reads the template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// AWS CloudFormation
    Cloudformation,
    /// Terraform with the AWS provider, for a file that ends in .tf.json
    Terraform,
}

/// A template of these tables, each with its name.
pub fn template(
    format: Format,
    tables: &[(&str, &TableDefinition)],
    options: &TableOptions,
) -> Value {
    let each = tables.iter().map(|(name, definition)| match format {
        Format::Cloudformation => (logical(name), cloudformation(name, definition, options)),
        Format::Terraform => (underscored(name), terraform(name, definition, options)),
    });
    let tables: Map<_, _> = each.collect();
    match format {
        Format::Cloudformation => json!({
            "AWSTemplateFormatVersion": "2010-09-09",
            "Description": "Tables of Trestle",
            "Resources": tables,
        }),
        Format::Terraform => json!({ "resource": { "aws_dynamodb_table": tables } }),
    }
}

fn key_schema(partition: KeyAttribute, sort: Option<KeyAttribute>) -> Value {
    let hash = json!({ "AttributeName": partition.name, "KeyType": "HASH" });
    let range = sort.map(|sort| json!({ "AttributeName": sort.name, "KeyType": "RANGE" }));
    Value::Array(std::iter::once(hash).chain(range).collect())
}

fn cloudformation(name: &str, table: &TableDefinition, options: &TableOptions) -> Value {
    let attributes = table.key_attributes().into_iter();
    let attributes: Vec<_> = attributes
        .map(|key| json!({ "AttributeName": key.name, "AttributeType": kind(key) }))
        .collect();
    let mut properties = json!({
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": attributes,
        "KeySchema": key_schema(table.partition_key, Some(table.sort_key)),
        "PointInTimeRecoverySpecification": { "PointInTimeRecoveryEnabled": options.point_in_time_recovery },
        "DeletionProtectionEnabled": options.deletion_protection,
    });
    let indexes = table.indexes.iter().map(|index| {
        json!({
            "IndexName": index.name,
            "KeySchema": key_schema(index.partition_key, index.sort_key),
            "Projection": { "ProjectionType": "ALL" },
        })
    });
    let tags = options.tags.iter();
    let tags = tags.map(|(key, value)| json!({ "Key": key, "Value": value }));
    put_list(&mut properties, "GlobalSecondaryIndexes", indexes);
    put_list(&mut properties, "Tags", tags);
    if options.stream {
        properties["StreamSpecification"] = json!({ "StreamViewType": "NEW_AND_OLD_IMAGES" });
    }
    if let Some(attribute) = table.expires {
        properties["TimeToLiveSpecification"] =
            json!({ "AttributeName": attribute, "Enabled": true });
    }
    let mut throughput = Map::new();
    put_number(&mut throughput, "MaxReadRequestUnits", options.max_read);
    put_number(&mut throughput, "MaxWriteRequestUnits", options.max_write);
    if !throughput.is_empty() {
        properties["OnDemandThroughput"] = Value::Object(throughput);
    }
    json!({
        "Type": "AWS::DynamoDB::Table",
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
        "Properties": properties,
    })
}

fn terraform(name: &str, table: &TableDefinition, options: &TableOptions) -> Value {
    let attributes = table.key_attributes().into_iter();
    let attributes: Vec<_> = attributes
        .map(|key| json!({ "name": key.name, "type": kind(key) }))
        .collect();
    let mut resource = json!({
        "name": name,
        "billing_mode": "PAY_PER_REQUEST",
        "hash_key": table.partition_key.name,
        "range_key": table.sort_key.name,
        "attribute": attributes,
        "point_in_time_recovery": { "enabled": options.point_in_time_recovery },
        "deletion_protection_enabled": options.deletion_protection,
        "lifecycle": { "prevent_destroy": true },
    });
    let indexes = table.indexes.iter().map(|index| {
        let mut entry = json!({
            "name": index.name,
            "hash_key": index.partition_key.name,
            "projection_type": "ALL",
        });
        if let Some(sort) = index.sort_key {
            entry["range_key"] = json!(sort.name);
        }
        entry
    });
    put_list(&mut resource, "global_secondary_index", indexes);
    if options.stream {
        resource["stream_enabled"] = json!(true);
        resource["stream_view_type"] = json!("NEW_AND_OLD_IMAGES");
    }
    if let Some(attribute) = table.expires {
        resource["ttl"] = json!({ "attribute_name": attribute, "enabled": true });
    }
    if !options.tags.is_empty() {
        let tags = options.tags.iter().cloned();
        resource["tags"] = tags
            .map(|(key, value)| (key, Value::String(value)))
            .collect();
    }
    let mut throughput = Map::new();
    put_number(&mut throughput, "max_read_request_units", options.max_read);
    put_number(
        &mut throughput,
        "max_write_request_units",
        options.max_write,
    );
    if !throughput.is_empty() {
        resource["on_demand_throughput"] = Value::Object(throughput);
    }
    resource
}

fn put_list(object: &mut Value, name: &str, items: impl Iterator<Item = Value>) {
    let items: Vec<_> = items.collect();
    if !items.is_empty() {
        object[name] = Value::Array(items);
    }
}

fn put_number(object: &mut Map<String, Value>, name: &str, number: Option<u32>) {
    if let Some(number) = number {
        object.insert(name.to_owned(), number.into());
    }
}

fn kind(key: KeyAttribute) -> &'static str {
    if key.is_number { "N" } else { "S" }
}

/// A name of CloudFormation: letters and digits alone.
fn logical(name: &str) -> String {
    let words = name.split(|char: char| !char.is_ascii_alphanumeric());
    let words = words.map(|word| match word.split_at_checked(1) {
        Some((first, rest)) => first.to_ascii_uppercase() + rest,
        None => String::new(),
    });
    words.collect::<String>() + "Table"
}

fn underscored(name: &str) -> String {
    name.replace(|char: char| !char.is_ascii_alphanumeric(), "_")
}
