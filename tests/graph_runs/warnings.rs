//! What a run says of comments that suppress nothing, and of what is not decided.

use serde_json::json;
use trestle_graph_runs::Pipeline;

use crate::graph_runs::pipeline::processed;
use crate::graph_runs::server::{ANN, Api};

#[tokio::test]
async fn warnings_of_a_run_are_listed() {
    let api = Api::start_with(Pipeline::InProcess).await;
    let text = "#trestle:ignore public-bucket\nresource \"aws_s3_bucket\" \"a\" {}\n#trestle:ignore public-bucket It is private.\nresource \"aws_s3_bucket\" \"b\" {}\n";
    let run = processed(&api, "HCL", text).await;
    assert_eq!(run["status"], "COMPLETE", "{run:#}");
    let query = "query($id: String!) { run(runId: $id) { warnings(first: 1) { totalCount pageInfo { hasNextPage } edges { node { file line message } } } } }";
    let listed = api.field(ANN, query, json!({ "id": run["runId"] })).await;
    let warnings = &listed["warnings"];
    assert_eq!(warnings["totalCount"], 2);
    assert_eq!(warnings["pageInfo"]["hasNextPage"], true);
    let message = "`trestle:ignore public-bucket` has no reason, and does not count.";
    let first = json!({ "file": "main.tf", "line": 1, "message": message });
    assert_eq!(warnings["edges"][0]["node"], first);
}

#[tokio::test]
async fn what_is_not_decided_is_counted_beside_the_findings() {
    let api = Api::start_with(Pipeline::InProcess).await;
    let text = "resource \"aws_s3_bucket\" \"a\" { acl = var.acl }\nresource \"aws_db_instance\" \"a\" { storage_encrypted = var.encrypted }\n";
    let run = processed(&api, "HCL", text).await;
    let query = "query($id: String!) { run(runId: $id) { undecidedCount summary { unresolvedCount } findings { totalCount } } }";
    let counts = api.field(ANN, query, json!({ "id": run["runId"] })).await;
    // The bucket's access, that it is a datastore of everyone, and the encryption of the database.
    let expected = json!({ "undecidedCount": 3, "summary": { "unresolvedCount": 1 }, "findings": { "totalCount": 0 } });
    assert_eq!(counts, expected);
}
