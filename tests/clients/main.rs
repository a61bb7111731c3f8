//! Other people's clients against the real binary: the GraphQL-over-HTTP audits, Apollo Client,
//! urql, Relay's compiler, graphql-codegen, a schema diff, and the playground in a browser.
//!
//! Each test is one script of `tests/node`. It needs Node and what `npm ci` installs there; where
//! that is missing the test is reported as skipped, with what it needs, and in CI it fails.

mod prerequisites;
mod script;
mod server;

use libtest_mimic::{Arguments, Failed, Trial};

use prerequisites::Need;
use script::Ending;
use server::Server;

/// The SDL file of the applications service.
const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schema.graphql");
/// Small SDL files that the schema diff is proven with.
const SCHEMAS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/schemas");

fn main() {
    let arguments = Arguments::from_args();
    let trials = vec![
        trial("graphql_over_http_audits", &Need::NODE, || {
            against_server("audit.mjs")
        }),
        trial("apollo_client", &Need::NODE, || {
            against_server("apollo.mjs")
        }),
        trial("urql", &Need::NODE, || against_server("urql.mjs")),
        trial("playground_bundled", &Need::BUNDLE, || {
            against_server("playground.mjs")
        }),
        trial("playground_from_cdn", &Need::BROWSER, || {
            against_server("cdn.mjs")
        }),
        trial("relay_compiler", &Need::NODE, || {
            passes("relay.mjs", &[SCHEMA])
        }),
        trial("graphql_codegen", &Need::NODE, || {
            passes("codegen.mjs", &[SCHEMA])
        }),
        trial(
            "schema_diff_lets_additions_pass",
            &Need::NODE,
            additions_pass,
        ),
        trial(
            "schema_diff_names_a_breaking_change",
            &Need::NODE,
            breaking_change_is_named,
        ),
    ];
    libtest_mimic::run(&arguments, trials).exit();
}

/// One test, or its place in the report where a need is not met.
fn trial(
    name: &'static str,
    needs: &[Need],
    test: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let Some(need) = needs.iter().find(|need| !need.is_met()) else {
        return Trial::test(name, test);
    };
    let failure = format!("needs {need}");
    if std::env::var("CI").is_ok_and(|value| !value.is_empty() && value != "false") {
        return Trial::test(name, || Err(failure.into()));
    }
    // Asked for by `--ignored` it still cannot run, so it fails with what it needs.
    Trial::test(name, || Err(failure.into()))
        .with_kind(format!("skipped: needs {need}"))
        .with_ignored_flag(true)
}

/// Runs a script against a server of its own.
fn against_server(script: &str) -> Result<(), Failed> {
    let server = Server::start()?;
    match script::run(script, &[server.url()])? {
        Ending::Success { .. } => Ok(()),
        Ending::Failure { output } => {
            Err(format!("{output}\n--- the server's log ---\n{}", server.stop()).into())
        }
    }
}

fn passes(script: &str, arguments: &[&str]) -> Result<(), Failed> {
    match script::run(script, arguments)? {
        Ending::Success { .. } => Ok(()),
        Ending::Failure { output } => Err(output.into()),
    }
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
