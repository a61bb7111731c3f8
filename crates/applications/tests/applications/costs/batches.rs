//! Mutations of many applications, and what reads every application: one, and a hundred.

use serde_json::{Value, json};

use crate::ask::{start, with};

use super::fixture::{copy, fields, filled, make};
use super::{BATCH, Case, Line, Measured, QUERY, WRITE, lines, measure, mutation, query};

/// How many applications the large batch has.
const MANY: usize = 100;

/// What reads all applications that are not archived. Each has one stage, which is scheduled.
fn reads() -> Vec<Case> {
    let agenda = "query($from: Date!, $to: Date!) { agenda(from: $from, to: $to) {
      kind scheduledAt interviewStage { name } application { companyName } } }";
    let days = json!({ "from": "2026-11-01", "to": "2026-12-31" });
    let sorted = "{ applications(orderBy: COMPANY_NAME_ASC) { edges { node { companyName status notes } } } }";
    vec![
        query("`agenda`", "agenda", agenda, days, &[QUERY, BATCH]),
        query(
            "`applications` by `companyName`",
            "applications",
            sorted,
            json!({}),
            &[QUERY],
        ),
        query(
            "`stale`",
            "stale",
            "{ stale(days: 1, on: \"2027-11-20\") { edges { node { companyName statusSince } } } }",
            json!({}),
            &[("Query", 2)],
        ),
        query(
            "`searchApplications`: found in the application",
            "searchApplications",
            "{ searchApplications(text: \"cccc\") { edges { node { companyName } } } }",
            json!({}),
            &[QUERY],
        ),
        query(
            "`searchApplications`: found in a stage",
            "searchApplications",
            "{ searchApplications(text: \"site\") { edges { node { companyName } } } }",
            json!({}),
            &[QUERY, BATCH],
        ),
    ]
}

/// What is done with `ids` together.
fn changes(ids: &[String]) -> Vec<Case> {
    let count = ids.len();
    let transactions = |each: usize| ("TransactWriteItems", count.div_ceil(each) as u64);
    let reads = ("Query", count as u64);
    let input = |id: &String| with(json!({ "id": id }), json!({ "notes": filled("o", 60) }));
    let updates: Vec<Value> = ids.iter().map(input).collect();
    let ids = || json!({ "ids": ids });
    let case = |label, field, input, calls: &[_]| mutation(label, field, input, calls);
    vec![
        case(
            "`updateApplications`",
            "updateApplications",
            json!({ "applications": updates }),
            &[reads, transactions(46)],
        ),
        case(
            "`archiveApplications`",
            "archiveApplications",
            ids(),
            &[reads, transactions(46)],
        ),
        case(
            "`unarchiveApplications`",
            "unarchiveApplications",
            ids(),
            &[reads, transactions(46)],
        ),
        case(
            "`deleteApplications`",
            "deleteApplications",
            ids(),
            // Then the other items of each application.
            &[
                BATCH,
                reads,
                ("TransactWriteItems", (count.div_ceil(46) + count) as u64),
            ],
        ),
    ]
}

async fn measured_with(count: usize) -> Measured {
    let (api, _) = start().await;
    let first = make(&api, 0).await;
    let stage = json!({ "name": "On site", "scheduledAt": "2026-12-01T09:30:00+01:00" });
    api.add_stage(&first.id, stage).await;
    let template = api.stored(&first.id).await;
    let mut ids = copy(&api, &template, count - 1).await;
    ids.push(first.id);
    let mut measured = measure(&api, &format!("{count} applications"), &reads()).await;
    let created = mutation(
        "`createApplications`",
        "createApplications",
        json!({ "applications": vec![fields(); count] }),
        &[("TransactWriteItems", count.div_ceil(47) as u64)],
    );
    // Rows that are not there: by their ids, and then by their postings in every partition of the list.
    let row = |at: usize| {
        let posting = json!({ "jobPostingUrl": format!("https://company.example/jobs/{at:03}") });
        json!({ "application": with(fields(), posting) })
    };
    let imported = mutation(
        "`importApplications`",
        "importApplications",
        json!({ "rows": (0..count).map(row).collect::<Vec<_>>() }),
        &[
            BATCH,
            // One for each partition, one more where the first has a further chunk, and one for each new application.
            ("Query", 9 + u64::from(count > 1) + count as u64),
            ("TransactWriteItems", count.div_ceil(47) as u64),
        ],
    );
    let tracked = |label, input: Value, calls: &[_]| {
        let document =
            "mutation($input: CreateApplicationInput!) { createApplication(input: $input) {
          application { version } alreadyTracked { id } userErrors { code } } }";
        let variables = json!({ "input": input });
        query(label, "createApplication", document, variables, calls)
    };
    let new = with(
        fields(),
        json!({ "companyName": "New", "jobPostingUrl": "https://new.example/jobs/1" }),
    );
    let unlinked = json!({ "companyName": "Unlinked", "jobPostingUrl": null });
    let unlinked = with(fields(), unlinked);
    let looked = [
        tracked("", unlinked, &[WRITE, ("Query", 9)]),
        tracked(
            "`createApplication` with `alreadyTracked` ⁴",
            new,
            &[WRITE, ("Query", 9)],
        ),
    ];
    let cases: Vec<_> = looked
        .into_iter()
        .chain([created, imported])
        .chain(changes(&ids))
        .collect();
    measured.extend(measure(&api, &format!("{count} applications"), &cases).await);
    measured
}

/// The lines of these operations.
pub async fn measured() -> Vec<Line> {
    lines(measured_with(1).await, measured_with(MANY).await)
}

#[tokio::test]
async fn an_agenda_without_scheduled_stages_is_one_query() {
    let (api, _) = start().await;
    make(&api, 1).await;
    let agenda = "{ agenda(from: \"2026-11-01\", to: \"2026-12-31\") { kind } }";
    let case = query("", "agenda", agenda, json!({}), &[QUERY]);
    measure(&api, "no stages", &[case]).await;
}
