//! `trestle graph inventory`: what is exposed, what stores data, and what reaches it.

use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::analyze::graph;

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn inventory(folder: &Path) -> Value {
    let (code, text) = graph("inventory", folder, &["--format", "json"]);
    assert_eq!(code, Some(0), "{text}");
    serde_json::from_str(&text).unwrap()
}

fn inventory_of(text: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("main.tf", text)]);
    inventory(folder.path())
}

fn entry<'i>(inventory: &'i Value, node: &str) -> &'i Value {
    let mut all = inventory["resources"].as_array().unwrap().iter();
    let found = all.find(|one| one["node"] == node);
    found.unwrap_or_else(|| panic!("{node}: {inventory:#}"))
}

/// The cells of a CSV file, as another program reads them.
fn cells(text: &str) -> Vec<Vec<String>> {
    let text = text.strip_prefix('\u{feff}').unwrap();
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.has_headers(false).from_reader(text.as_bytes());
    let rows = reader.records().map(|row| row.unwrap());
    rows.map(|row| row.iter().map(str::to_owned).collect())
        .collect()
}

const SHOP: &str = r#"
resource "aws_lb" "web" { security_groups = [aws_security_group.web.id] }
resource "aws_security_group" "web" {
  ingress {
    protocol    = "-1"
    from_port   = 0
    to_port     = 0
    cidr_blocks = ["0.0.0.0/0"]
  }
}
resource "aws_lb_target_group" "web" {}
resource "aws_lb_listener" "web" {
  load_balancer_arn = aws_lb.web.arn
  default_action { target_group_arn = aws_lb_target_group.web.arn }
}
resource "aws_lb_target_group_attachment" "web" {
  target_group_arn = aws_lb_target_group.web.arn
  target_id        = aws_instance.app.id
}
resource "aws_instance" "app" {
  subnet_id              = aws_subnet.a.id
  vpc_security_group_ids = []
  user_data              = "connect ${aws_db_instance.main.address}"
}
resource "aws_subnet" "a" {}
resource "aws_db_instance" "main" {
  publicly_accessible = false
  storage_encrypted   = true
}
"#;

#[test]
fn a_row_says_whether_and_why_it_is_exposed_and_what_reaches_it() {
    let found = inventory_of(SHOP);
    let lb = entry(&found, "aws_lb.web");
    assert_eq!(
        (&lb["exposed"], &lb["datastore"]),
        (&json!("yes"), &json!("no"))
    );
    let by = lb["exposedBy"].to_string();
    assert!(by.contains("`internal` is left out."), "{by}");
    assert!(
        by.contains("aws_security_group.web: It lets in everyone"),
        "{by}"
    );
    assert_eq!(
        (&lb["provider"], &lb["file"], &lb["line"]),
        (&json!("aws"), &json!("main.tf"), &json!(2))
    );
    for reached in ["aws_instance.app", "aws_db_instance.main"] {
        let one = entry(&found, reached);
        assert_eq!(one["exposed"], "no", "{one:#}");
        assert_eq!(one["reachedFrom"], json!(["aws_lb.web"]), "{one:#}");
    }
    assert_eq!(entry(&found, "aws_db_instance.main")["datastore"], "yes");
    assert_eq!(entry(&found, "aws_subnet.a")["reachedFrom"], json!([]));
}

#[test]
fn what_is_not_known_is_never_no() {
    let text = r#"
variable "open" { type = bool }
resource "aws_db_instance" "main" { publicly_accessible = var.open }
resource "aws_lb" "web" { internal = var.open }
resource "aws_lb_listener" "web" {
  load_balancer_arn = aws_lb.web.arn
  default_action { target_group_arn = aws_lb_target_group.web.arn }
}
resource "aws_lb_target_group" "web" {}
resource "aws_security_group" "any" {
  ingress {
    protocol    = "-1"
    from_port   = 0
    to_port     = 0
    cidr_blocks = var.ranges
  }
}
variable "ranges" {}
resource "datadog_monitor" "up" { name = "up" }
module "other" { source = "registry.example.com/a/b/aws" }
#trestle:ignore public-policy Everyone may encrypt with it.
resource "aws_kms_key" "open" {
  policy = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "*", Resource = "*" }] })
}
"#;
    let found = inventory_of(text);
    for (node, reason) in [
        ("aws_db_instance.main", "`publicly_accessible` is not known"),
        ("aws_lb.web", "`internal` is not known"),
        ("aws_security_group.any", "`cidr_blocks` is not known"),
        ("datadog_monitor.up", "No rule looks at datadog_monitor."),
        ("module.other", "is not part of the upload"),
        (
            "aws_kms_key.open",
            "(suppressed: Everyone may encrypt with it.)",
        ),
    ] {
        let one = entry(&found, node);
        assert_eq!(one["exposed"], "unknown", "{one:#}");
        assert!(one["exposedBy"].to_string().contains(reason), "{one:#}");
    }
    for node in ["datadog_monitor.up", "module.other"] {
        assert_eq!(entry(&found, node)["datastore"], "unknown");
    }
    let behind = entry(&found, "aws_lb_target_group.web");
    assert_eq!(behind["reachedFrom"], json!([]));
    assert_eq!(behind["mayBeReachedFrom"], json!(["aws_lb.web"]));
}

#[test]
fn a_resource_is_exposed_by_another_one_that_is_about_it() {
    let text = r#"
resource "google_storage_bucket" "open" { name = "open" }
resource "google_storage_bucket_iam_member" "all" {
  bucket = google_storage_bucket.open.name
  role   = "roles/storage.objectViewer"
  member = "allUsers"
}
resource "google_storage_bucket" "own" { name = "own" }
resource "google_storage_bucket_iam_member" "ann" {
  bucket = google_storage_bucket.own.name
  role   = "roles/storage.objectViewer"
  member = "user:ann@example.com"
}
resource "google_storage_bucket" "who" { name = "who" }
resource "google_storage_bucket_iam_member" "who" {
  bucket = google_storage_bucket.who.name
  role   = "roles/storage.objectViewer"
  member = var.member
}
variable "member" {}
resource "aws_secretsmanager_secret" "key" { name = "key" }
resource "aws_secretsmanager_secret_policy" "key" {
  secret_arn = aws_secretsmanager_secret.key.arn
  policy     = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "*", Resource = "*" }] })
}
"#;
    let found = inventory_of(text);
    for (node, verdict) in [
        ("google_storage_bucket.open", "yes"),
        ("google_storage_bucket.own", "no"),
        ("google_storage_bucket.who", "unknown"),
        ("aws_secretsmanager_secret.key", "yes"),
    ] {
        let one = entry(&found, node);
        assert_eq!(one["exposed"], verdict, "{one:#}");
    }
    // What only names something that is exposed is not.
    let beside = inventory_of(
        "resource \"azurerm_app_service_plan\" \"p\" {}\nresource \"azurerm_app_service\" \"a\" { app_service_plan_id = azurerm_app_service_plan.p.id }\n",
    );
    assert_eq!(entry(&beside, "azurerm_app_service.a")["exposed"], "yes");
    let plan = entry(&beside, "azurerm_app_service_plan.p");
    assert_ne!(plan["exposed"], "yes", "{plan:#}");
    let by = &entry(&found, "google_storage_bucket.open")["exposedBy"];
    assert!(
        by.to_string()
            .contains("google_storage_bucket_iam_member.all: "),
        "{by}"
    );
}

#[test]
fn each_root_has_its_rows_and_one_that_is_not_read_has_a_row() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        (
            "modules/db/main.tf",
            "resource \"aws_db_instance\" \"a\" { publicly_accessible = true }\n",
        ),
        (
            "envs/dev/main.tf",
            "module \"db\" { source = \"../../modules/db\" }\n",
        ),
        (
            "envs/prod/main.tf",
            "module \"db\" { source = \"../../modules/db\" }\n",
        ),
        ("envs/test/main.tf", "resource \"aws_lb\" {}\n"),
    ];
    write(folder.path(), &files);
    let (code, text) = graph("inventory", folder.path(), &[]);
    // One root module is not analyzed.
    assert_eq!(code, Some(1), "{text}");
    let rows = cells(&text);
    let titles = "root,address,type,provider,file,line,exposed,exposedBy,datastore,reachedFrom,mayBeReachedFrom";
    assert_eq!(rows[0].join(","), titles);
    for (row, root) in [(1, "envs/dev"), (2, "envs/prod")] {
        let expected = [
            root,
            "module.db.aws_db_instance.a",
            "aws_db_instance",
            "aws",
            "modules/db/main.tf",
            "1",
            "yes",
        ];
        assert_eq!(rows[row][..7], expected, "{text}");
    }
    let unread = &rows[3];
    assert!(unread[4].starts_with("envs/test"), "{unread:?}");
    assert_eq!((&*unread[6], &*unread[8]), ("unknown", "unknown"));
    assert!(!unread[7].is_empty(), "{unread:?}");
    assert_eq!(rows.len(), 4, "{text}");
}

#[test]
fn a_plan_has_an_inventory() {
    let plan = json!({ "planned_values": { "root_module": { "resources": [
        { "address": "aws_lb.web", "mode": "managed", "type": "aws_lb", "name": "web",
          "provider_name": "registry.terraform.io/hashicorp/aws", "values": { "internal": false } },
        { "address": "google_sql_database_instance.a", "mode": "managed", "type": "google_sql_database_instance", "name": "a",
          "provider_name": "registry.terraform.io/hashicorp/google-beta", "values": {} },
    ] } } });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.json");
    std::fs::write(&path, plan.to_string()).unwrap();
    let found = inventory(&path);
    assert_eq!(entry(&found, "aws_lb.web")["exposed"], "yes");
    let database = entry(&found, "google_sql_database_instance.a");
    assert_eq!(database["provider"], "google-beta");
    assert_eq!(database["datastore"], "yes");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn no_cell_is_a_formula_whatever_the_names_are(
        root in "[=+@a-]{1,3}",
        key in "[\"=+@\n\r\t,;ä' -]{0,4}",
    ) {
        let folder = tempfile::tempdir().unwrap();
        let key = serde_json::to_string(&key).unwrap();
        let text = format!("resource \"aws_lb\" \"a\" {{ for_each = toset([{key}]) }}\n");
        let name = format!("{root}/main.tf");
        write(folder.path(), &[(&name, &text), ("z/main.tf", "resource \"aws_lb\" \"a\" {}\n")]);
        let (code, text) = graph("inventory", folder.path(), &[]);
        prop_assert_eq!(code, Some(0), "{}", text);
        let rows = cells(&text);
        prop_assert_eq!(rows.len(), 3, "{}", text);
        for cell in rows.iter().flatten() {
            prop_assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{cell:?}");
        }
        let unshielded = trestle_spreadsheet::unshielded(&rows[1][0]);
        prop_assert_eq!(unshielded, &root);
    }
}
