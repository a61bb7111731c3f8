//! What other programs do with the real binary: browsers on its front ends (`board`, `pages`), the container image (`image`), systemd and
//! Kubernetes (`deployment`), proxies (`proxies`), a team on one machine (`team`), and other people's clients: the GraphQL-over-HTTP audits, Apollo Client,
//! urql, graphql-ws, graphql-sse, Relay's compiler, graphql-codegen, Apollo's composition and gateway, a schema
//! diff, and the playground in a browser.
//!
//! Each test is one script of `tests/node`. It needs Node and what `npm ci` installs there; where
//! that is missing the test is reported as skipped, with what it needs, and in CI it fails.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

#[path = "../board/mod.rs"]
mod board;
#[path = "../support/bundle.rs"]
mod bundle;
mod deployment;
mod image;
#[path = "../support/script.rs"]
mod node;
#[path = "../pages/mod.rs"]
mod pages;
#[path = "../support/prerequisites.rs"]
mod prerequisites;
#[path = "../support/process.rs"]
mod process;
mod proxies;
mod script;
#[path = "../support/served.rs"]
mod server;
mod team;

use libtest_mimic::{Arguments, Failed, Trial};

use prerequisites::{Need, trial};
use script::Ending;
use server::Server;

/// The SDL file of the applications service.
const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schema.graphql");
/// Small SDL files that the schema diff is proven with.
const SCHEMAS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/schemas");

/// The packages of the scripts.
const PACKAGES: Need = Need::Packages("tests/node");
/// For every script.
const NODE: [Need; 2] = [Need::Node, PACKAGES];
/// For a script that drives a browser.
const BROWSER: [Need; 3] = [Need::Node, PACKAGES, Need::Chromium];
/// For the bundled playground in a browser.
const BUNDLE: [Need; 4] = [Need::Node, PACKAGES, Need::Chromium, Need::Pages];

fn main() {
    let mut arguments = Arguments::from_args();
    // Most tests drive a browser, and wait for more than half of their time.
    arguments.test_threads = arguments.test_threads.or(Some(4));
    let mut trials = vec![
        on_server("graphql_over_http_audits", &NODE, "audit.mjs"),
        on_server("apollo_client", &NODE, "apollo.mjs"),
        on_server("urql", &NODE, "urql.mjs"),
        on_server("normalised_caches", &NODE, "caches.mjs"),
        on_server("graphql_ws", &NODE, "graphql-ws.mjs"),
        on_server("graphql_sse", &NODE, "graphql-sse.mjs"),
        on_server("playground_bundled", &BUNDLE, "playground.mjs"),
        on_server("playground_from_cdn", &BROWSER, "cdn.mjs"),
        on_schema("relay_compiler", "relay.mjs"),
        trial("apollo_federation", &NODE, services_compose),
        trial(
            "graphql_codegen_and_its_trusted_documents",
            &NODE,
            generated_documents_are_trusted,
        ),
        trial("schema_diff_lets_additions_pass", &NODE, additions_pass),
        trial(
            "schema_diff_names_a_breaking_change",
            &NODE,
            breaking_change_is_named,
        ),
        trial(
            "image_builds_and_starts",
            &[Need::Node],
            image::builds_and_starts,
        ),
        trial("image_bases_are_pinned", &[], image::bases_are_pinned),
    ];
    trials.extend(deployment::trials());
    trials.extend(proxies::trials());
    trials.extend(team::trials());
    trials.extend(board::trials());
    trials.extend(pages::trials());
    libtest_mimic::run(&arguments, trials).exit();
}

/// A script against a server of its own.
fn on_server(name: &'static str, needs: &[Need], script: &'static str) -> Trial {
    trial(name, needs, move || {
        let server = Server::start(&[])?;
        let url = server.url().to_owned();
        succeeds_on(server, script, &[&url])
    })
}

/// Runs a script that has to succeed, and shows the server's log where it does not.
fn succeeds_on(server: Server, script: &str, arguments: &[&str]) -> Result<(), Failed> {
    match script::run(script, arguments)? {
        Ending::Success { .. } => Ok(()),
        Ending::Failure { output } => Err(server.failed(&output)),
    }
}

/// A script over the SDL file.
fn on_schema(name: &'static str, script: &'static str) -> Trial {
    trial(name, &NODE, move || succeeds(script, &[SCHEMA]))
}

fn succeeds(script: &str, arguments: &[&str]) -> Result<(), Failed> {
    match script::run(script, arguments)? {
        Ending::Success { .. } => Ok(()),
        Ending::Failure { output } => Err(output.into()),
    }
}

/// What the code generator wrote is what the server trusts, and all that it runs.
fn generated_documents_are_trusted() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let documents = folder.path().join("persisted-documents.json");
    let documents = documents.to_str().ok_or("the folder's name is no text")?;
    succeeds("codegen.mjs", &[SCHEMA, documents])?;
    let server = Server::start(&["--trusted-documents", documents, "--only-trusted-documents"])?;
    let url = server.url().to_owned();
    succeeds_on(server, "trusted.mjs", &[&url, documents])
}

/// Subgraphs that Apollo's composition takes together, and whose entities its gateway joins.
const COMPOSING: &str = "applications,job-board,graph-runs,shareables";

fn services_compose() -> Result<(), Failed> {
    let services = format!("{COMPOSING},collab-hub");
    let server = Server::start(&["--federation", "--service", &services])?;
    let url = server.url().to_owned();
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/federation.md");
    succeeds_on(server, "federation.mjs", &[&url, COMPOSING, page])
}

fn additions_pass() -> Result<(), Failed> {
    let (before, after) = (
        format!("{SCHEMAS}/before.graphql"),
        format!("{SCHEMAS}/added.graphql"),
    );
    match script::run("schema-diff.mjs", &[&before, &after])? {
        Ending::Success { output } if output.contains("'notes' was added") => Ok(()),
        ending => Err(format!("the added field was not reported: {ending:?}").into()),
    }
}

fn breaking_change_is_named() -> Result<(), Failed> {
    let (before, after) = (
        format!("{SCHEMAS}/before.graphql"),
        format!("{SCHEMAS}/broken.graphql"),
    );
    match script::run("schema-diff.mjs", &[&before, &after])? {
        Ending::Failure { output } if output.contains("'Application.companyName'") => Ok(()),
        ending => Err(format!("the breaking change was not named: {ending:?}").into()),
    }
}
