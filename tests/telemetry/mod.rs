//! Logs, metrics and traces of the real binary, as its operator sees them.

mod logs;
mod metrics;
mod traces;

/// A query of one call to DynamoDB.
const BOARD: &str = "query Board { applications(first: 1) { edges { node { id } } } }";
/// A mutation, with a name that the operator must not see in the data.
const APPLY: &str = r#"mutation Apply {
    createApplication(input: { companyName: "SECRET", positionTitle: "t", status: APPLIED }) {
        application { id }
    }
}"#;
/// A request that is refused for a reason that is not a fault of ours.
const REFUSED: &str = "query Refused { nothing }";
