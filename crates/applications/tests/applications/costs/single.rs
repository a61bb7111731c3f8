//! Operations on one application, with little of everything and with much.

use serde_json::{Value, json};

use crate::ask::{start, with};
use crate::support::Api;

use super::fixture::{
    ENTRIES, STAGES, Sizes, Subject, copied, fields, grown, make, other_notes, size, sizes,
    stage_name,
};
use super::{
    BATCH, Case, GET, Line, Measured, QUERY, WRITE, lines, live, measure, mutation, query,
};

/// What costs more where the history is longer, up to a bound: the newest history, whose read ends behind
/// 30 stages and what is asked of the history; and older history, up to the page that is asked for.
const NEWEST: &str = "`application` with stages and newest history ¹";
const OLDER: &str = "`application` with a page of older history";

/// The partitions of the indexes: GSI2's, and GSI1's of each status, archived or not.
const INDEX_PARTITIONS: u64 = 17;

/// What is read of an application.
fn reads(subject: &Subject, cursor: &Value, entry: &Value) -> Vec<Case> {
    let id = &subject.id;
    let of =
        |selection: &str| format!("query($id: ID!) {{ application(id: $id) {{ {selection} }} }}");
    let it = || json!({ "id": id });
    // Read from the partition's end: 30 stages, 20 entries and one more, then the application.
    let cut = subject.stages.len() + subject.entries + 1 > 30 + 21 + 1;
    let newest: &[_] = if cut { &[QUERY, GET] } else { &[QUERY] };
    let field = "application";
    let lines = "companyName interviewStages { name }
      history(first: 20) { edges { cursor node { sequence description } } }";
    let whole = "companyName history(first: 20) {
      edges { node { changes { field before after } snapshot { notes } } } }";
    let older = "query($id: ID!, $after: String) { application(id: $id) {
      history(first: 20, after: $after) { edges { node { description } } } } }";
    let node = "query($id: ID!) { node(id: $id) { id } }";
    let after = json!({ "id": id, "after": cursor });
    let last = of("history(last: 5) { edges { cursor } }");
    vec![
        query(
            "`application`",
            field,
            of("companyName notes version"),
            it(),
            &[GET],
        ),
        query(
            "`application` with stages",
            field,
            of("companyName interviewStages { name }"),
            it(),
            &[GET, QUERY],
        ),
        query(NEWEST, field, of(lines), it(), newest),
        query("", field, of(whole), it(), newest),
        query(OLDER, field, older, after, &[GET, QUERY]),
        query("", field, last, it(), &[GET, QUERY]),
        query("`node`: an application", "node", node, it(), &[BATCH]),
        query(
            "`node`: a history entry",
            "node",
            node,
            json!({ "id": entry }),
            &[BATCH],
        ),
    ]
}

/// How an application is changed.
fn changes(subject: &Subject) -> Vec<Case> {
    let input = |more: Value| with(json!({ "id": subject.id }), more);
    let read = subject.read_by_change();
    let both = [read, WRITE];
    let status = || input(json!({ "status": "INTERVIEWING" }));
    let update = "updateApplication";
    let restore = "restoreApplication";
    // The entry to restore is one more read.
    let restored = [GET, read, WRITE];
    // By the restore before, the application has no stages.
    let without_stages = [GET, QUERY, WRITE];
    let first = input(json!({ "sequence": 1 }));
    let back = input(json!({ "sequence": subject.entries }));
    let mut cases = vec![
        mutation(
            "`createApplication`",
            "createApplication",
            fields(),
            &[WRITE],
        ),
        mutation(
            "`updateApplication`",
            update,
            other_notes(&subject.id, "o"),
            &both,
        ),
    ];
    if !subject.stages.is_empty() {
        cases.push(mutation("", restore, first, &restored));
    }
    cases.extend([
        mutation("`restoreApplication` ²", restore, back, &without_stages),
        mutation("`updateApplication`: the status", update, status(), &both),
        // Nothing to write, so no condition says that the newest entry is what the application is.
        mutation(
            "`updateApplication` that changes nothing",
            update,
            status(),
            &[read, GET],
        ),
        mutation(
            "`archiveApplication`",
            "archiveApplication",
            input(json!({})),
            &both,
        ),
        mutation(
            "`unarchiveApplication`",
            "unarchiveApplication",
            input(json!({})),
            &both,
        ),
    ]);
    cases
}

/// What is asked and changed of the stages of an application that has at least two.
fn of_stages(subject: &Subject) -> Vec<Case> {
    let [first, second, ..] = &subject.stages[..] else {
        panic!("two stages");
    };
    let order: Vec<_> = subject.stages.iter().rev().collect();
    let order = json!({ "applicationId": subject.id, "stageIds": order });
    let notes = json!({ "id": first, "notes": "noted" });
    let added = json!({ "applicationId": subject.id, "name": stage_name(99) });
    let both = [subject.read_by_change(), WRITE];
    let node = "query($id: ID!) { node(id: $id) { id } }";
    vec![
        query(
            "`node`: an interview stage",
            "node",
            node,
            json!({ "id": first }),
            &[BATCH],
        ),
        mutation(
            "`updateInterviewStage`",
            "updateInterviewStage",
            notes,
            &both,
        ),
        mutation(
            "`completeInterviewStage`",
            "completeInterviewStage",
            json!({ "id": first }),
            &both,
        ),
        mutation(
            "`reorderInterviewStages`",
            "reorderInterviewStages",
            order,
            &both,
        ),
        mutation(
            "`removeInterviewStage`",
            "removeInterviewStage",
            json!({ "id": second }),
            &both,
        ),
        mutation("`addInterviewStage`", "addInterviewStage", added, &both),
    ]
}

async fn one(api: &Api, subject: &Subject) -> Measured {
    const FIRST: &str = "query($id: ID!) { application(id: $id) {
      history(first: 20) { edges { node { id } } pageInfo { endCursor } } } }";
    let data = api.data(FIRST, json!({ "id": subject.id })).await;
    let history = &data["application"]["history"];
    let (cursor, entry) = (
        &history["pageInfo"]["endCursor"],
        &history["edges"][0]["node"]["id"],
    );
    let what = format!(
        "{} entries, {} stages",
        subject.entries,
        subject.stages.len()
    );
    let mut measured = measure(api, &what, &reads(subject, cursor, entry)).await;
    measured.extend(measure(api, &what, &changes(subject)).await);
    measured
}

async fn stages(api: &Api, subject: &Subject) -> Measured {
    let what = format!(
        "{} entries, {} stages",
        subject.entries,
        subject.stages.len()
    );
    measure(api, &what, &of_stages(subject)).await
}

async fn deleted(api: &Api, subject: Subject) -> Measured {
    let items = api.stored(&subject.id).await;
    // A Query reads 1 MB at a time, however little of it is asked for. The application is gone by then.
    let children = items
        .iter()
        .rev()
        .filter(|(key, _)| !key.starts_with("APP#"));
    let mut pages: Vec<(usize, usize)> = Vec::new();
    for (_, item) in children {
        match pages.last_mut() {
            Some((count, bytes)) if *bytes + size(item) <= 1_048_576 => {
                *count += 1;
                *bytes += size(item);
            }
            _ => pages.push((1, size(item))),
        }
    }
    // The application and its counters, then 99 items at a time with a look that it is not there again.
    let parts: usize = pages.iter().map(|(count, _)| count.div_ceil(99)).sum();
    let calls = [
        GET,
        ("Query", pages.len() as u64),
        ("TransactWriteItems", 1 + parts as u64),
    ];
    let delete = "deleteApplication";
    let case = mutation(
        "`deleteApplication`",
        delete,
        json!({ "id": subject.id }),
        &calls,
    );
    measure(api, "all of it", &[case]).await
}

/// All but the history costs the same however long that is.
fn same(short: &Measured, long: &Measured) {
    for (short, long) in short.iter().zip(long) {
        if ![NEWEST, OLDER].contains(&short.0) {
            assert_eq!(short, long, "a long history costs nothing");
        }
    }
}

/// The lines of these operations, and how large the items are.
pub async fn measured() -> (Vec<Line>, Sizes) {
    let (api, _) = start().await;
    let small = make(&api, 0).await;
    let large = make(&api, STAGES).await;
    let pair = make(&api, 2).await;
    let template = api.stored(&large.id).await;
    let sizes = sizes(&api.stored(&small.id).await, &template);
    let long_pair = copied(&api, &api.stored(&pair.id).await, ENTRIES).await;
    let long_large = copied(&api, &template, ENTRIES).await;

    let (short, long) = (
        one(&api, &small).await,
        one(&api, &grown(&api, 0, ENTRIES).await).await,
    );
    same(&short, &long);
    let long = one(&api, &long_large).await;
    same(&one(&api, &large).await, &long);
    let mut table = lines(short, long);
    table.extend(live::measured(&api, &small, &long_large).await);

    let (short, long) = (stages(&api, &pair).await, stages(&api, &long_pair).await);
    same(&short, &long);
    let long = stages(&api, &long_large).await;
    same(&stages(&api, &large).await, &long);
    table.extend(lines(short, long));

    let doomed = copied(&api, &template, ENTRIES).await;
    table.extend(lines(
        deleted(&api, make(&api, 0).await).await,
        deleted(&api, doomed).await,
    ));
    (table, sizes)
}

/// The lines of what finds out that a table is empty: what counts applications, and the first that is created.
pub async fn of_empty_tables() -> Vec<Line> {
    let count = "{ applicationStats { active } }";
    let looks = ("Query", INDEX_PARTITIONS);
    let cases = || {
        let create = "createApplication";
        [
            query(
                "`applicationStats` of an empty table ⁶",
                "applicationStats",
                count,
                json!({}),
                &[GET, looks],
            ),
            mutation(
                "`createApplication`: the first ⁶",
                create,
                fields(),
                &[("TransactWriteItems", 2), looks],
            ),
            mutation("", create, fields(), &[WRITE]),
        ]
    };
    let first = measure(&start().await.0, "nothing", &cases()).await;
    let again = measure(&start().await.0, "nothing", &cases()).await;
    lines(first, again)
}
