//! What each operation costs, in calls to DynamoDB: by the service's own meter, and by what reached the
//! store. Large histories, many stages and long pages must not make anything dearer than it says here.

use std::collections::{BTreeMap, BTreeSet};

use apollo_compiler::Schema;
use futures_util::future::join_all;
use serde_json::{Value, json};
use trestle::applications;

use crate::ask::{named, start, with};
use crate::support::{Api, Cost};

/// An operation with what it may cost.
struct Case {
    field: &'static str,
    document: String,
    variables: Value,
    calls: Vec<(&'static str, u64)>,
}

fn query(
    field: &'static str,
    document: &str,
    variables: Value,
    calls: &[(&'static str, u64)],
) -> Case {
    let document = document.to_owned();
    Case {
        field,
        document,
        variables,
        calls: calls.to_vec(),
    }
}

fn mutation(field: &'static str, input: Value, calls: &[(&'static str, u64)]) -> Case {
    let input_type = format!("{}{}Input", field[..1].to_uppercase(), &field[1..]);
    let own = match field {
        "deleteApplication" => "deletedApplicationId",
        _ => "application { version interviewStages { name } }",
    };
    let document = format!(
        "mutation($input: {input_type}!) {{ {field}(input: $input) {{ {own} userErrors {{ code }} }} }}"
    );
    query(field, &document, json!({ "input": input }), calls)
}

/// Runs the case and compares; answers what the meter says.
async fn check(api: &Api, size: &str, case: &Case) -> Cost {
    api.calls.reset();
    let answer = api.run(&case.document, case.variables.clone()).await;
    let data = answer.data();
    if let Some(errors) = data[case.field].get("userErrors") {
        assert_eq!(*errors, json!([]), "{} with {size}", case.field);
    }
    let expected: BTreeMap<_, _> = case
        .calls
        .iter()
        .map(|(name, count)| ((*name).to_owned(), *count))
        .collect();
    let what = format!("{} with {size}: {}", case.field, case.document);
    assert_eq!(api.calls.counts(), expected, "{what}");
    let written = |name: &str| ["TransactWriteItems", "BatchWriteItem"].contains(&name);
    let sum = |writes: bool| -> u64 {
        let of_kind = case
            .calls
            .iter()
            .filter(|(name, _)| written(name) == writes);
        of_kind.map(|(_, count)| count).sum()
    };
    let cost = answer.cost();
    assert_eq!(
        (cost.reads, cost.writes, cost.retries),
        (sum(false), sum(true), 0),
        "{what}"
    );
    cost
}

/// An application with so many history entries and stages; its id and its stages' ids.
async fn application(api: &Api, entries: usize, stages: usize) -> (String, Vec<Value>) {
    let made = api
        .create(with(named("Visa"), json!({ "status": "APPLIED" })))
        .await;
    let id = made["id"].as_str().unwrap().to_owned();
    let mut ids = Vec::new();
    for i in 0..stages {
        let stage = json!({ "name": format!("Stage {i}"), "notes": "what was said" });
        ids.push(api.add_stage(&id, stage).await["id"].clone());
    }
    api.grow(&id, entries).await;
    (id, ids)
}

const GET: (&str, u64) = ("GetItem", 1);
const QUERY: (&str, u64) = ("Query", 1);
const BATCH: (&str, u64) = ("BatchGetItem", 1);
const WRITE: (&str, u64) = ("TransactWriteItems", 1);

fn queries_of_one(id: &str, stage: Option<&Value>, cursor: &Value, cut: bool) -> Vec<Case> {
    let of =
        |selection: &str| format!("query($id: ID!) {{ application(id: $id) {{ {selection} }} }}");
    let variables = || json!({ "id": id });
    let detail = if cut { vec![QUERY, GET] } else { vec![QUERY] };
    const LINE: &str = "edges { cursor node { sequence description } }";
    const CHANGES: &str = "edges { node { changes { field before after } snapshot { notes } } }";
    let stages = "interviewStages { name }";
    let newest = format!("companyName {stages} history(first: 20) {{ {LINE} }}");
    let whole = format!("companyName {stages} history(first: 20) {{ {CHANGES} }}");
    let beyond = "query($id: ID!, $after: String) { application(id: $id) {
      history(first: 20, after: $after) { edges { node { description } } } } }";
    let ids = json!({ "ids": [id, stage, id] });
    vec![
        query(
            "application",
            &of("companyName notes version"),
            variables(),
            &[GET],
        ),
        query(
            "application",
            &of(&format!("companyName {stages}")),
            variables(),
            &[GET, BATCH],
        ),
        query("application", &of(&newest), variables(), &detail),
        query("application", &of(&whole), variables(), &detail),
        query(
            "application",
            beyond,
            json!({ "id": id, "after": cursor }),
            &[GET, QUERY],
        ),
        query(
            "application",
            &of("history(last: 5) { edges { cursor } }"),
            variables(),
            &[GET, QUERY],
        ),
        query(
            "node",
            "query($id: ID!) { node(id: $id) { id } }",
            variables(),
            &[BATCH],
        ),
        query(
            "nodes",
            "query($ids: [ID]!) { nodes(ids: $ids) { id } }"
                .replace("[ID]", "[ID!]")
                .as_str(),
            match stage {
                Some(_) => ids,
                None => json!({ "ids": [id, id] }),
            },
            &[BATCH],
        ),
    ]
}

fn changes_of_one(id: &str, entries: usize, stages: &[Value]) -> Vec<Case> {
    let input = |more: Value| with(json!({ "id": id }), more);
    let both = [QUERY, WRITE];
    let mut cases = vec![
        mutation(
            "updateApplication",
            input(json!({ "notes": "changed" })),
            &both,
        ),
        mutation(
            "updateApplication",
            input(json!({ "status": "INTERVIEWING" })),
            &both,
        ),
        // Nothing to write, so no condition says that the newest entry is what the application is.
        mutation(
            "updateApplication",
            input(json!({ "status": "INTERVIEWING" })),
            &[QUERY, GET],
        ),
        mutation("archiveApplication", input(json!({})), &both),
        mutation("unarchiveApplication", input(json!({})), &both),
        // The entry to restore is the second read.
        mutation(
            "restoreApplication",
            input(json!({ "sequence": 1 })),
            &[GET, QUERY, WRITE],
        ),
    ];
    if !stages.is_empty() {
        let back = input(json!({ "sequence": entries }));
        cases.push(mutation("restoreApplication", back, &[GET, QUERY, WRITE]));
    }
    if let [first, second, ..] = stages {
        let order: Vec<_> = stages.iter().rev().collect();
        let order = json!({ "applicationId": id, "stageIds": order });
        cases.extend([
            mutation(
                "updateInterviewStage",
                json!({ "id": first, "notes": "changed" }),
                &both,
            ),
            mutation("completeInterviewStage", json!({ "id": first }), &both),
            mutation("reorderInterviewStages", order, &both),
            mutation("removeInterviewStage", json!({ "id": second }), &both),
        ]);
    }
    let stage = json!({ "applicationId": id, "name": "One more" });
    cases.push(mutation("addInterviewStage", stage, &both));
    cases
}

#[tokio::test]
async fn one_application_costs_the_same_whatever_its_length() {
    let (api, _) = start().await;
    let mut seen = BTreeSet::new();
    let mut alone = Vec::new();
    for (entries, stages) in [(1, 0), (2, 1), (31, 30), (200, 0), (200, 30)] {
        let size = format!("{entries} entries and {stages} stages");
        let (id, stage_ids) = application(&api, entries, stages).await;
        const FIRST: &str = "query($id: ID!) { application(id: $id) {
          history(first: 20) { pageInfo { endCursor } } } }";
        let data = api.data(FIRST, json!({ "id": id })).await;
        let cursor = &data["application"]["history"]["pageInfo"]["endCursor"];
        // What is read from the partition's end: 30 stages, 20 entries and one more, the application.
        let cut = stages + entries + 1 > 30 + 21 + 1;
        let mut costs = Vec::new();
        for case in queries_of_one(&id, stage_ids.first(), cursor, cut) {
            costs.push(check(&api, &size, &case).await);
            seen.insert(case.field);
        }
        alone.push(costs[0].read_units);
        let create = mutation("createApplication", named("Visa"), &[WRITE]);
        check(&api, &size, &create).await;
        seen.insert(create.field);
        for case in changes_of_one(&id, entries, &stage_ids) {
            check(&api, &size, &case).await;
            seen.insert(case.field);
        }
        api.calls.reset();
        let items = api.stored(&id).await.len();
        // A Query reads 1 MB at a time, however little of it is asked for.
        let pages = api.calls.counts()["Query"];
        // All but the application and its first entry, which keeps the id from being used meanwhile.
        let batches = (items - 2).div_ceil(25) as u64;
        let calls = [
            GET,
            ("Query", pages),
            ("TransactWriteItems", 2),
            ("BatchWriteItem", batches),
        ];
        let delete = mutation("deleteApplication", json!({ "id": id }), &calls);
        check(&api, &size, &delete).await;
        seen.insert(delete.field);
    }
    assert!(alone.windows(2).all(|pair| pair[0] == pair[1]), "{alone:?}");
    // What is left is asked of many.
    seen.extend(["applications", "applicationStats"]);
    let schema = Schema::parse(applications::sdl(), "schema.graphql").unwrap();
    let mut all = BTreeSet::new();
    for root in ["Query", "Mutation"] {
        all.extend(
            schema
                .get_object(root)
                .unwrap()
                .fields
                .keys()
                .map(|name| name.to_string()),
        );
    }
    assert_eq!(
        seen.into_iter().map(str::to_owned).collect::<BTreeSet<_>>(),
        all
    );
}

#[tokio::test]
async fn the_capacity_without_history_does_not_grow_with_it() {
    let (api, _) = start().await;
    const ALONE: &str = "query($id: ID!) { application(id: $id) { companyName notes } }";
    const STAGES: &str = "query($id: ID!) { application(id: $id) { interviewStages { name } } }";
    const LINES: &str = "query($id: ID!) { application(id: $id) {
      history(first: 5) { edges { node { description } } } } }";
    let mut ids = Vec::new();
    // The partition's end is read with room for 30 stages, which is history where there are fewer.
    for entries in [60, 200, 500] {
        ids.push(application(&api, entries, 2).await.0);
    }
    for document in [ALONE, STAGES, LINES] {
        let mut units = Vec::new();
        for id in &ids {
            let answer = api.run(document, json!({ "id": id })).await;
            units.push(answer.cost().read_units);
        }
        assert!(units[0] > 0.0);
        assert_eq!(units, [units[0]; 3], "{document}");
    }
}

fn pages(size: usize, total: usize) -> Vec<Case> {
    let batches = |keys: usize| ("BatchGetItem", keys.div_ceil(100) as u64);
    let n = size.min(total);
    let list = |selection: &str, filter: Value, calls: &[(&'static str, u64)]| {
        let document = format!(
            "query($filter: ApplicationFilter, $first: Int) {{
               applications(filter: $filter, first: $first) {{ {selection} }} }}"
        );
        query(
            "applications",
            &document,
            json!({ "filter": filter, "first": size }),
            calls,
        )
    };
    let nodes = |selection: &str| format!("edges {{ node {{ companyName {selection} }} }}");
    let plain = nodes("status notes");
    let two = json!({ "statuses": ["APPLIED", "REJECTED"] });
    const LINES: &str = "history(first: 3) { edges { node { description createdAt } } }";
    const CHANGES: &str = "history(first: 3) { edges { node { changes { field } } } }";
    let both = format!("interviewStages {{ name }} {LINES}");
    vec![
        list(&plain, json!({}), &[QUERY]),
        list(&plain, json!({ "statuses": ["APPLIED"] }), &[QUERY]),
        list(
            &plain,
            json!({ "statuses": ["APPLIED"], "archived": "ONLY" }),
            &[QUERY],
        ),
        list(&plain, two, &[("Query", 2)]),
        list(&plain, json!({ "archived": "ONLY" }), &[("Query", 8)]),
        list(&plain, json!({ "archived": "INCLUDE" }), &[("Query", 9)]),
        list(&format!("totalCount {plain}"), json!({}), &[QUERY, GET]),
        list(
            &nodes("interviewStages { name }"),
            json!({}),
            &[QUERY, batches(n)],
        ),
        list(&nodes(LINES), json!({}), &[QUERY, batches(3 * n)]),
        // The newest of the three entries has the stages too.
        list(&nodes(&both), json!({}), &[QUERY, batches(3 * n)]),
        // The third one's changes take the entry before it.
        list(&nodes(CHANGES), json!({}), &[QUERY, batches(4 * n)]),
    ]
}

#[tokio::test]
async fn a_page_costs_the_same_whatever_stands_in_it() {
    let (api, hands) = start().await;
    let made = join_all((0..101).map(|_| application(&api, 4, 1))).await;
    assert_eq!(made.len(), 101);
    hands.go(60_000);
    let long = application(&api, 200, 30).await;
    // Each page below starts with an application that has much of everything.
    assert_eq!(api.listed(json!({})).await[0], long.0);
    for size in [1, 20, 33, 100] {
        for case in pages(size, 102) {
            check(&api, &format!("pages of {size}"), &case).await;
        }
    }
    const STATS: &str = "{ applicationStats { active byStatus { status active } } }";
    check(
        &api,
        "102 applications",
        &query("applicationStats", STATS, json!({}), &[GET]),
    )
    .await;
}

#[tokio::test]
async fn many_nodes_cost_one_batch_for_each_hundred_items() {
    let (api, _) = start().await;
    let made = join_all((0..100).map(|_| application(&api, 2, 1))).await;
    let ids: Vec<_> = made.iter().map(|(id, _)| id).collect();
    let stages: Vec<_> = made.iter().map(|(_, stages)| &stages[0]).collect();
    let plain = "query($ids: [ID!]!) { nodes(ids: $ids) { id } }";
    let with_stages = "query($ids: [ID!]!) { nodes(ids: $ids) {
      ... on Application { companyName interviewStages { name } } } }";
    for (document, ids, batches) in [
        (plain, json!(ids), 1),
        (plain, json!(stages), 2),
        (with_stages, json!(ids), 2),
    ] {
        let case = query(
            "nodes",
            document,
            json!({ "ids": ids }),
            &[("BatchGetItem", batches)],
        );
        check(&api, "100 ids", &case).await;
    }
}
