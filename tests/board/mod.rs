//! The board of `examples/board` as the real binary serves it: its files over HTTP, and what a person does
//! with it in a browser.
//!
//! Each test in a browser is one script of `examples/board/e2e`, with a server and browsers of its own. It
//! needs Node, Chromium and the built board; where one is missing the test is reported as skipped, with
//! what it needs, and in CI it fails.

mod files;
mod script;

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
        in_browser("an_application_is_added", "e2e/create.mjs"),
        in_browser("a_card_is_moved_archived_and_found", "e2e/drag.mjs"),
        in_browser("a_card_never_jumps_between_columns", "e2e/jumps.mjs"),
        in_browser("a_change_is_of_what_its_author_saw", "e2e/seen.mjs"),
        in_browser("cards_never_overlap", "e2e/overlap.mjs"),
        in_browser("a_search_shows_its_total_and_first_hit", "e2e/search.mjs"),
        in_browser("the_archive_is_where_one_looks", "e2e/archive.mjs"),
        in_browser("keys_work_anywhere", "e2e/keys.mjs"),
        in_browser("the_keyboard_alone_moves_a_card", "e2e/keyboard.mjs"),
        in_browser("dates_are_those_of_the_person", "e2e/zones.mjs"),
        in_browser("the_week_ahead_and_its_calendar", "e2e/agenda.mjs"),
        in_browser("a_table_is_sorted_changed_and_saved", "e2e/table.mjs"),
        in_browser("filters_and_the_archive", "e2e/filters.mjs"),
        in_browser(
            "edits_merge_and_conflicts_show_both_values",
            "e2e/conflict.mjs",
        ),
        in_browser("fields_stages_and_history", "e2e/detail.mjs"),
        in_browser("what_is_typed_is_what_is_meant", "e2e/typing.mjs"),
        in_browser("no_field_loses_a_text", "e2e/fields.mjs"),
        in_browser("contacts_files_and_the_posting", "e2e/beside.mjs"),
        in_browser("searches_of_all_fields_columns_and_views", "e2e/views.mjs"),
        in_browser("the_keyboard_goes_on_where_it_was", "e2e/focus.mjs"),
        in_browser("stages_are_ordered_by_mouse", "e2e/stages.mjs"),
        in_browser("a_long_history_comes_by_pages", "e2e/history.mjs"),
        in_browser("a_file_is_imported_once", "e2e/import.mjs"),
        in_browser("offline_and_back", "e2e/offline.mjs"),
        in_browser("what_is_deleted_can_be_undone", "e2e/undo.mjs"),
        in_browser("a_column_begins_with_what_is_due", "e2e/due.mjs"),
        in_browser("an_example_comes_and_goes_by_one_press", "e2e/example.mjs"),
        in_browser("what_was_not_sent_outlives_its_page", "e2e/unsent.mjs"),
        in_browser(
            "a_change_whose_answer_is_lost_is_no_strangers",
            "e2e/unheard.mjs",
        ),
        in_browser("answers_of_others_decide_nothing", "e2e/strangers.mjs"),
        in_browser("one_late_answer_holds_nothing_up", "e2e/pending.mjs"),
        in_browser("a_file_that_fails_is_loaded_again", "e2e/parts.mjs"),
        in_browser("little_room_is_enough", "e2e/small.mjs"),
        in_browser("lists_and_applications_are_printed_whole", "e2e/print.mjs"),
        in_browser("all_that_match_are_changed_together", "e2e/many.mjs"),
        in_browser("a_long_column_comes_by_pages", "e2e/paging.mjs"),
        in_browser("two_browsers_stay_in_step", "e2e/live.mjs"),
        in_browser("all_parts_of_the_first_page_agree", "e2e/between.mjs"),
        in_browser("urql_and_plain_fetch", "scripts/other-clients.mjs"),
        trial("a_long_column_stays_small_in_memory", &BROWSER, || {
            script::run_on_import("e2e/heap.mjs")
        }),
        trial("a_month_who_waits_and_the_calendar", &BROWSER, || {
            script::run_on_import("e2e/month.mjs")
        }),
        trial("a_board_that_was_open_opens_again", &BROWSER, || {
            script::run_on_import("e2e/stored.mjs")
        }),
        trial("what_cannot_be_read_leaves_the_rest", &BROWSER, || {
            script::run_on_import("e2e/odd.mjs")
        }),
        trial("a_lost_server_is_seen_and_loses_nothing", &BROWSER, || {
            script::run_on_import("e2e/gone.mjs")
        }),
        trial("axe_finds_nothing", &BROWSER, || {
            script::run_on_import("e2e/accessible.mjs")
        }),
        trial("insight_shows_what_is_counted", &BROWSER, || {
            script::run_on_import("e2e/insight.mjs")
        }),
        trial("a_key_is_asked_for", &BROWSER, script::sign_in),
        trial("people_sign_in_at_their_provider", &BROWSER, || {
            script::run_on_import("e2e/provider.mjs")
        }),
        trial(
            "who_signs_in_sees_their_own_alone",
            &BROWSER,
            script::owners,
        ),
        trial("its_documents_alone_are_enough", &BROWSER, || {
            script::run("e2e/trusted.mjs", &["--only-trusted-documents"])
        }),
    ];
    trials.extend(PICTURED.map(|page| {
        let name = format!("pictures_are_of_the_page_of_{page}");
        trial(
            &name,
            &[Need::Node, Need::Packages("examples")],
            move || script::run_check(page),
        )
    }));
    trials.extend(files::trials());
    trials
}

/// The pages that have pictures in `docs/screenshots`.
const PICTURED: [&str; 3] = ["board", "shareables", "graph-runs"];

/// A script against a server of its own.
fn in_browser(name: &'static str, script: &'static str) -> Trial {
    trial(name, &BROWSER, move || script::run(script, &[]))
}

/// One of these tests, by its name among those of all clients.
fn trial(
    name: &str,
    needs: &[Need],
    test: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    prerequisites::trial(&format!("board::{name}"), needs, test)
}
