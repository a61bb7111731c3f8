//! The pages of `examples/shareables` and `examples/graph-runs` as the real binary serves them: their files over HTTP, and
//! what people do with them in browsers.
//!
//! Each test in a browser is one script of a page's folder `e2e`, with a server and browsers of its own. It needs Node,
//! Chromium and the built page; where one is missing the test is reported as skipped, with what it needs, and in CI it
//! fails.

mod files;

use libtest_mimic::{Failed, Trial};

use crate::prerequisites::{self, Need};

/// What a script that drives a browser needs.
const BROWSER: [Need; 4] = [
    Need::Node,
    Need::Packages("examples"),
    Need::Chromium,
    Need::Pages,
];

/// All of them.
pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        in_browsers("shareables", "two_share_a_packing_list", "e2e/packing.mjs"),
        in_browsers(
            "shareables",
            "a_poll_hides_its_result_until_it_closes",
            "e2e/poll.mjs",
        ),
        in_browsers(
            "shareables",
            "what_the_admin_changes_reaches_everyone",
            "e2e/manage.mjs",
        ),
        in_browsers(
            "shareables",
            "what_was_deleted_or_cleared_is_taken_back",
            "e2e/undo.mjs",
        ),
        in_browsers(
            "shareables",
            "a_new_passcode_loses_no_change",
            "e2e/passcode.mjs",
        ),
        in_browsers(
            "shareables",
            "axe_finds_nothing_on_lists_and_polls",
            "e2e/accessible.mjs",
        ),
        in_browsers(
            "graph-runs",
            "a_folder_is_dropped_and_looked_at",
            "e2e/folder.mjs",
        ),
        in_browsers(
            "graph-runs",
            "axe_finds_nothing_on_graphs",
            "e2e/accessible.mjs",
        ),
        in_browsers(
            "graph-runs",
            "a_finding_is_in_sight_on_a_phone",
            "e2e/phone.mjs",
        ),
        in_browsers(
            "shareables",
            "answers_of_others_lose_no_tick",
            "e2e/strangers.mjs",
        ),
        in_browsers(
            "graph-runs",
            "answers_of_others_lose_no_upload",
            "e2e/strangers.mjs",
        ),
        in_browsers(
            "shareables",
            "one_late_answer_holds_no_list_up",
            "e2e/pending.mjs",
        ),
        in_browsers(
            "graph-runs",
            "one_late_answer_holds_no_run_up",
            "e2e/pending.mjs",
        ),
        in_browsers(
            "shareables",
            "first_views_of_lists_are_small_as_they_are_served",
            "e2e/first-view.mjs",
        ),
        in_browsers(
            "graph-runs",
            "first_views_of_graphs_are_small_as_they_are_served",
            "e2e/first-view.mjs",
        ),
        alone(
            "shareables",
            "lists_open_again_without_a_server",
            "e2e/stored.mjs",
        ),
        alone(
            "shareables",
            "answers_that_are_late_take_nothing_back",
            "e2e/late.mjs",
        ),
        alone(
            "shareables",
            "a_new_release_takes_the_place_of_the_stored_page",
            "e2e/release.mjs",
        ),
        alone(
            "graph-runs",
            "people_sign_in_at_their_provider",
            "e2e/provider.mjs",
        ),
        alone(
            "graph-runs",
            "a_folder_has_one_answer_on_every_way",
            "e2e/same.mjs",
        ),
        alone(
            "graph-runs",
            "graphs_open_again_without_a_server",
            "e2e/stored.mjs",
        ),
    ];
    trials.push(trial(
        "answers_of_others_are_told_apart",
        &[Need::Node, Need::Packages("examples")],
        || crate::node::run_alone("examples/web-kit", "e2e/answers.mjs"),
    ));
    let graphs = files::page("graph-runs").folder;
    trials.push(trial("graphs_ask_for_a_key", &BROWSER, move || {
        let flags = ["--service", "graph-runs"];
        let clients = [["ann", "--access", "write"]];
        crate::node::run_with_keys(graphs, "e2e/sign-in.mjs", &clients, &flags)
    }));
    trials.extend(files::trials());
    trials
}

/// A script against a server that trusts nothing but the documents of the page.
fn in_browsers(service: &'static str, name: &'static str, script: &'static str) -> Trial {
    let folder = files::page(service).folder;
    trial(name, &BROWSER, move || {
        let flags = ["--service", service, "--only-trusted-documents"];
        crate::node::run_with(folder, script, &flags, &[])
    })
}

/// A script that starts servers of its own.
fn alone(service: &'static str, name: &'static str, script: &'static str) -> Trial {
    let folder = files::page(service).folder;
    trial(name, &BROWSER, move || {
        crate::node::run_alone(folder, script)
    })
}

/// One of these tests, by its name among those of all clients.
fn trial(
    name: &str,
    needs: &[Need],
    test: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    prerequisites::trial(&format!("pages::{name}"), needs, test)
}
