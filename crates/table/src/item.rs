//! Items as DynamoDB has them.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

/// The attributes of an item, by name.
pub type Item = HashMap<String, AttributeValue>;
