//! The schema that documents are checked against: a service's SDL, and what the validator does not know
//! of the specification yet. Source: the GraphQL specification of September 2025, "OneOf Input Objects".

use apollo_compiler::Schema;
use apollo_compiler::validation::Valid;

/// What tools ask for since input objects can be `@oneOf`.
const INTROSPECTION: &str = "extend type __Type { isOneOf: Boolean }";
const ONE_OF: &str = "directive @oneOf on INPUT_OBJECT";

/// Reads SDL.
///
/// # Errors
/// The validator's report.
pub(super) fn read(sdl: &str) -> Result<Valid<Schema>, String> {
    let mut builder = Schema::builder().parse(sdl, "schema.graphql");
    builder = builder.parse(INTROSPECTION, "introspection.graphql");
    if !sdl.contains("directive @oneOf") {
        builder = builder.parse(ONE_OF, "one_of.graphql");
    }
    let schema = builder
        .build()
        .map_err(|failed| failed.errors.to_string())?;
    schema
        .validate()
        .map_err(|failed| failed.errors.to_string())
}
