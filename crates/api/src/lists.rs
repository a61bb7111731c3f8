//! How long lists without pages are, for the estimate of an operation's cost.

use async_graphql::TypeDirective;

/// The number of elements that a list without page arguments is assumed to have, for the cost of an operation.
#[TypeDirective(location = "FieldDefinition", name = "listSize")]
pub fn list_size(#[graphql(desc = "The number of elements.")] assumed_size: i32) {}
