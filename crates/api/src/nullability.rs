//! Fields that are null only with an error at their path.

use async_graphql::TypeDirective;

/// The value is null only if there is an error at its path, which clients that handle errors need not expect: of lists at these
/// levels, 0 being the list itself. As Relay, Apollo and GraphQL Code Generator read it.
#[TypeDirective(location = "FieldDefinition", name = "semanticNonNull")]
pub fn semantic_non_null(
    #[graphql(
        desc = "The levels of nested lists.",
        default_with = "Some(vec![Some(0)])"
    )]
    levels: Option<Vec<Option<i32>>>,
) {
}
