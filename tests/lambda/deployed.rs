//! The function as it is deployed: the zip that `just lambda` makes, unpacked as Lambda unpacks it, started without
//! arguments and with the environment of the SAM template.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tokio::process::Command;
use zip::ZipArchive;

use crate::authentication::provider::{Key, Provider};
use crate::database::{Database, variables};
use crate::lambda::runtime_api::Runtime;
use crate::lambda::{FUNCTION_URL_POST, answered, body, event};
use crate::process::command_of;

const SAM: &str = include_str!("../../deploy/sam/template.yaml");
const JUSTFILE: &str = include_str!("../../justfile");
/// What `just lambda` packs.
const BUILT: &str = "target/release/trestle";

/// The lines of a recipe.
fn recipe(name: &str) -> Vec<&'static str> {
    let lines = JUSTFILE
        .lines()
        .skip_while(|line| *line != format!("{name}:"));
    let lines: Vec<_> = lines
        .skip(1)
        .map_while(|line| line.strip_prefix("    "))
        .collect();
    assert!(!lines.is_empty(), "{name}");
    lines
}

/// Runs `just lambda` in a folder in which the binary is built already.
async fn zipped(folder: &Path) -> PathBuf {
    let built = folder.join(BUILT);
    std::fs::create_dir_all(built.parent().unwrap()).unwrap();
    std::fs::hard_link(env!("CARGO_BIN_EXE_trestle"), &built)
        .or_else(|_| std::fs::copy(env!("CARGO_BIN_EXE_trestle"), &built).map(drop))
        .unwrap();
    let (build, pack): (Vec<_>, Vec<_>) = recipe("lambda")
        .into_iter()
        .partition(|line| line.starts_with("cargo "));
    assert_eq!(
        build,
        ["cargo build --release --locked --features full --bin trestle"]
    );
    for line in pack {
        let mut shell = Command::new("sh");
        shell.args(["-euc", line]).current_dir(folder);
        assert!(shell.status().await.unwrap().success(), "{line}");
    }
    folder.join("target/lambda/trestle.zip")
}

/// The function's variables in the template, with these values of its parameters and resources.
fn template_variables(given: &HashMap<&str, String>) -> HashMap<String, String> {
    let lines = SAM
        .lines()
        .skip_while(|line| line.trim() != "Variables:")
        .skip(1);
    let lines = lines.map_while(|line| line.strip_prefix("          "));
    let variables = lines.map(|line| {
        let (name, value) = line.split_once(": ").unwrap();
        let value = match value.strip_prefix("!Ref ") {
            Some(named) => given
                .get(named)
                .cloned()
                .unwrap_or_else(|| default_of(named)),
            None => value.to_owned(),
        };
        (name.to_owned(), value)
    });
    variables.collect()
}

/// The default of a parameter of the template.
fn default_of(parameter: &str) -> String {
    let lines = SAM
        .lines()
        .skip_while(|line| *line != format!("  {parameter}:"))
        .skip(1);
    let mut lines = lines.map_while(|line| line.strip_prefix("    "));
    let default = lines.find_map(|line| line.strip_prefix("Default: "));
    default
        .unwrap_or_else(|| panic!("{parameter} has no default"))
        .to_owned()
}

#[tokio::test]
async fn the_zip_serves_as_the_template_configures_it() {
    let folder = tempfile::tempdir().unwrap();
    let zip = zipped(folder.path()).await;
    let task = folder.path().join("task");
    ZipArchive::new(File::open(zip).unwrap())
        .unwrap()
        .extract(&task)
        .unwrap();

    let key = Key::ed("one");
    let provider = Provider::start(&[&key]).await;
    let database = Database::start().await;
    let given = HashMap::from([
        ("Table", "lambda_api_applications".to_owned()),
        ("JwtIssuer", "https://issuer.example/".to_owned()),
        ("JwtAudience", "trestle".to_owned()),
        ("JwksUrl", provider.jwks_url()),
    ]);
    let mut bootstrap = command_of(task.join("bootstrap").as_os_str(), &[]);
    bootstrap
        .current_dir(&task)
        .envs(template_variables(&given))
        .envs(variables(&database.url()));
    let mut function = Runtime::start(bootstrap).await;

    let as_subject = |subject: &str| {
        let claims = json!({
            "iss": "https://issuer.example/", "aud": "trestle", "sub": subject, "exp": 4_000_000_000_u64,
            "roles": ["write"],
        });
        let mut event = event(FUNCTION_URL_POST);
        event["headers"]["authorization"] = json!(format!("Bearer {}", key.sign(&claims)));
        event
    };
    let asking = |subject: &str, document: &str| -> Value {
        let mut event = as_subject(subject);
        event["body"] = json!(json!({ "query": document }).to_string());
        event
    };
    let create = "mutation { createApplication(input: { companyName: \"A\", positionTitle: \"B\", status: APPLIED })
        { application { companyName } userErrors { message } } }";
    let answer = answered(function.invoke("id-1", &asking("ann", create)).await);
    assert_eq!(answer["statusCode"], 200, "{answer}");
    let created = &body(&answer)["data"]["createApplication"];
    assert_eq!(created["application"]["companyName"], "A", "{answer}");
    for (subject, count) in [("ann", 1), ("ben", 0)] {
        let count_of = asking(subject, "{ applications { totalCount } }");
        let answer = answered(function.invoke("id-2", &count_of).await);
        let expected = json!({ "data": { "applications": { "totalCount": count } } });
        assert_eq!(body(&answer), expected, "{subject}");
    }
    let mut anonymous = event(FUNCTION_URL_POST);
    anonymous["headers"]
        .as_object_mut()
        .unwrap()
        .remove("authorization");
    let answer = answered(function.invoke("id-3", &anonymous).await);
    assert_eq!(answer["statusCode"], 401);
}
