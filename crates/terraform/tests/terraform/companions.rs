//! Defaults, and resources beside others, that decide whether the internet reaches a service.

use crate::unclear::assert_outcome;

#[test]
fn a_service_is_reached_by_its_default_and_by_what_is_about_it() {
    let address = "endpoint_details { address_allocation_ids = [\"eipalloc-1\"] }";
    let cache = "resource \"azurerm_redis_cache\" \"a\" { name = \"a\" }";
    let rule = |to: &str| {
        format!(
            "{cache}\nresource \"azurerm_redis_firewall_rule\" \"a\" {{\n  redis_cache_name = azurerm_redis_cache.a.name\n  start_ip = \"0.0.0.0\"\n  end_ip = \"{to}\"\n}}"
        )
    };
    let run = |rest: &str| {
        format!("resource \"google_cloud_run_v2_service\" \"a\" {{\n  name = \"a\"\n{rest}\n}}")
    };
    let member = |who: &str| {
        let service = run("");
        format!(
            "{service}\nresource \"google_cloud_run_v2_service_iam_member\" \"a\" {{\n  name = google_cloud_run_v2_service.a.name\n  member = {who}\n}}"
        )
    };
    for (text, node, expected) in [
        (
            "resource \"aws_sagemaker_notebook_instance\" \"a\" { name = \"a\" }".to_owned(),
            "aws_sagemaker_notebook_instance.a",
            "found",
        ),
        (
            format!(
                "resource \"aws_transfer_server\" \"a\" {{\n  endpoint_type = \"VPC\"\n  {address}\n}}"
            ),
            "aws_transfer_server.a",
            "found",
        ),
        (
            "resource \"aws_transfer_server\" \"a\" { endpoint_type = \"VPC\" }".to_owned(),
            "aws_transfer_server.a",
            "clear",
        ),
        (
            "resource \"aws_transfer_server\" \"a\" { endpoint_type = var.type }".to_owned(),
            "aws_transfer_server.a",
            "undecided",
        ),
        (cache.to_owned(), "azurerm_redis_cache.a", "found"),
        (rule("0.0.0.9"), "azurerm_redis_cache.a", "clear"),
        (rule("255.255.255.255"), "azurerm_redis_cache.a", "found"),
        (run(""), "google_cloud_run_v2_service.a", "clear"),
        (
            run("  invoker_iam_disabled = true"),
            "google_cloud_run_v2_service.a",
            "found",
        ),
        (
            member("\"allUsers\""),
            "google_cloud_run_v2_service.a",
            "found",
        ),
        (
            member("\"user:ann@example.com\""),
            "google_cloud_run_v2_service.a",
            "clear",
        ),
        (
            member("var.member"),
            "google_cloud_run_v2_service.a",
            "undecided",
        ),
    ] {
        let rule = if node.starts_with("azurerm_redis") {
            "public-datastore"
        } else {
            "internet-exposed"
        };
        assert_outcome(&text, (rule, node), expected);
    }
}

/// A function whose code and whose certificate are elsewhere: what only configures a service is no way on.
#[test]
fn settings_are_no_way_to_a_datastore() {
    let text = "resource \"aws_s3_bucket\" \"code\" { bucket = \"code\" }\nresource \"aws_lambda_function\" \"a\" {\n  function_name = \"a\"\n  s3_bucket = aws_s3_bucket.code.id\n}\nresource \"aws_lambda_function_url\" \"a\" {\n  function_name = aws_lambda_function.a.function_name\n  authorization_type = \"NONE\"\n}";
    let rule = "exposed-uses-datastore";
    assert_outcome(text, (rule, "aws_lambda_function_url.a"), "clear");
    let read = text.replace(
        "s3_bucket = aws_s3_bucket.code.id",
        "environment {\n    variables = { BUCKET = aws_s3_bucket.code.id }\n  }",
    );
    assert_outcome(&read, (rule, "aws_lambda_function_url.a"), "found");
}
