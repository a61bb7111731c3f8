//! Pages of lists and many nodes: of one small application, and of a hundred large ones.

use serde_json::{Value, json};

use crate::ask::start;
use crate::support::Api;

use super::fixture::{STAGES, copy, grown, make};
use super::{BATCH, Case, GET, Line, Measured, QUERY, lines, measure, query};

/// A page of the large list.
const PAGE: usize = 100;

fn batches(keys: usize) -> (&'static str, u64) {
    ("BatchGetItem", keys.div_ceil(100) as u64)
}

/// An operation on a page of `size`.
fn list(
    size: usize,
    label: &'static str,
    selection: &str,
    filter: Value,
    calls: &[(&'static str, u64)],
) -> Case {
    let document = format!(
        "query($filter: ApplicationFilter, $first: Int) {{
           applications(filter: $filter, first: $first) {{ {selection} }} }}"
    );
    let variables = json!({ "filter": filter, "first": size });
    query(label, "applications", document, variables, calls)
}

fn selecting(fields: &str) -> String {
    format!("edges {{ node {{ companyName {fields} }} }}")
}

/// What stands in the table.
fn told(size: usize) -> Vec<Case> {
    let plain = selecting("status notes");
    let applied = json!({ "statuses": ["APPLIED"] });
    let two = json!({ "statuses": ["APPLIED", "REJECTED"] });
    let archived_too = json!({ "archived": "INCLUDE" });
    let newest = "interviewStages { name } history(first: 1) { edges { node { description } } }";
    let all = || json!({});
    let case =
        |label, selection: &str, filter, calls: &[_]| list(size, label, selection, filter, calls);
    vec![
        case("`applications`", &plain, all(), &[QUERY]),
        case("`applications` of one status", &plain, applied, &[QUERY]),
        case(
            "`applications` of two statuses",
            &plain,
            two,
            &[("Query", 2)],
        ),
        case(
            "`applications`, archived too",
            &plain,
            archived_too,
            &[("Query", 9)],
        ),
        case(
            "`applications` with a text filter",
            &plain,
            json!({ "text": "cccc" }),
            &[QUERY],
        ),
        case(
            "`applications` with a text filter and `totalCount`",
            &format!("totalCount {plain}"),
            json!({ "text": "cccc" }),
            &[("Query", 2)],
        ),
        case(
            "`applications` with `totalCount`",
            &format!("totalCount {plain}"),
            all(),
            &[QUERY, GET],
        ),
        case(
            "`applications` with stages and newest entry of history",
            &selecting(newest),
            all(),
            &[QUERY, batches(size)],
        ),
    ]
}

/// What else a page may be, of applications with four entries of history or more.
fn untold(size: usize) -> Vec<Case> {
    let plain = selecting("status notes");
    let put_away = json!({ "statuses": ["APPLIED"], "archived": "ONLY" });
    let lines = "history(first: 3) { edges { node { description createdAt } } }";
    let changes = selecting("history(first: 3) { edges { node { changes { field } } } }");
    let both = selecting(&format!("interviewStages {{ name }} {lines}"));
    let all = || json!({});
    let case = |selection: &str, filter, calls: &[_]| list(size, "", selection, filter, calls);
    vec![
        case(&plain, put_away, &[QUERY]),
        case(&plain, json!({ "archived": "ONLY" }), &[("Query", 8)]),
        case(
            &selecting("interviewStages { name }"),
            all(),
            &[QUERY, batches(size)],
        ),
        case(&selecting(lines), all(), &[QUERY, batches(3 * size)]),
        // The newest of the three entries has the stages too.
        case(&both, all(), &[QUERY, batches(3 * size)]),
        // The third one's changes take the entry before it.
        case(&changes, all(), &[QUERY, batches(4 * size)]),
    ]
}

/// As many nodes as `applications`, and as `stages`: one of each application.
fn nodes(applications: &[Value], stages: &[Value]) -> Vec<Case> {
    let count = applications.len();
    let plain = "query($ids: [ID!]!) { nodes(ids: $ids) { id } }";
    let with_stages = "query($ids: [ID!]!) { nodes(ids: $ids) {
      ... on Application { companyName interviewStages { name } } } }";
    let ids = |ids: &[Value]| json!({ "ids": ids });
    let stages_too = ("BatchGetItem", 1 + count.div_ceil(100) as u64);
    let mut cases = vec![
        query(
            "`nodes`: applications",
            "nodes",
            plain,
            ids(applications),
            &[batches(count)],
        ),
        query(
            "`nodes`: applications with stages",
            "nodes",
            with_stages,
            ids(applications),
            &[stages_too],
        ),
    ];
    if !stages.is_empty() {
        // A stage goes with its application.
        let calls = [batches(2 * stages.len())];
        cases.push(query("", "nodes", plain, ids(stages), &calls));
        let mixed = json!({ "ids": [applications[0], stages[0], applications[0]] });
        cases.push(query("", "nodes", plain, mixed, &[BATCH]));
    }
    cases
}

/// What is counted: of so many weeks, which are of one year or of three.
fn counted(weeks: usize) -> [Case; 4] {
    const STATS: &str = "{ applicationStats { active byStatus { status active } } }";
    let insight = format!(
        "{{ applicationInsight {{ weeks(last: {weeks}) {{ applied }} stays {{ medianDays }} }} }}"
    );
    [
        query(
            "`applicationStats`",
            "applicationStats",
            STATS,
            json!({}),
            &[GET],
        ),
        query(
            "`applicationInsight` ³",
            "applicationInsight",
            insight,
            json!({}),
            &[BATCH],
        ),
        query(
            "`viewer`",
            "viewer",
            "{ viewer { subject owner roles canWrite } }",
            json!({}),
            &[],
        ),
        query(
            "`importColumns`",
            "importColumns",
            "{ importColumns(columns: [{ header: \"Company\", texts: [\"Visa\"] }]) { field dateOrder } }",
            json!({}),
            &[],
        ),
    ]
}

/// The ids of the first page's applications, and of the first stage of each that has one.
async fn listed(api: &Api) -> (Vec<Value>, Vec<Value>) {
    const IDS: &str =
        "{ applications(first: 100) { edges { node { id interviewStages { id } } } } }";
    let data = api.data(IDS, json!({})).await;
    let edges = data["applications"]["edges"].as_array().unwrap();
    let ids = edges.iter().map(|edge| edge["node"]["id"].clone());
    let stages = edges
        .iter()
        .map(|edge| edge["node"]["interviewStages"][0]["id"].clone());
    (ids.collect(), stages.filter(|id| !id.is_null()).collect())
}

async fn small() -> Measured {
    let (api, _) = start().await;
    for _ in 0..2 {
        make(&api, 0).await;
    }
    let (ids, stages) = listed(&api).await;
    let mut cases = told(1);
    cases.extend(nodes(&ids[..1], &stages));
    cases.extend(counted(1));
    measure(&api, "a page of 1", &cases).await
}

/// More than a page of copies of an application with so many stages, as far as a list reads them: the
/// application, a stage to ask for, the newest `entries` of its history.
async fn filled(stages: usize, entries: usize) -> Api {
    let (api, _) = start().await;
    let template = grown(&api, stages, stages + entries + 1).await;
    let mut items = api.stored(&template.id).await;
    let stage = items.keys().find(|key| key.starts_with("STAGE#")).cloned();
    let oldest = format!("HIST#{:08}", stages + 2);
    items.retain(|key, _| {
        let newest = key.starts_with("HIST#") && *key >= oldest;
        key.starts_with("APP#") || newest || Some(key) == stage.as_ref()
    });
    copy(&api, &items, PAGE).await;
    api
}

async fn large() -> Measured {
    let api = filled(STAGES, 1).await;
    let (ids, stages) = listed(&api).await;
    assert_eq!((ids.len(), stages.len()), (PAGE, PAGE));
    let mut cases = told(PAGE);
    cases.extend(nodes(&ids, &stages));
    cases.extend(counted(104));
    measure(&api, "a page of 100", &cases).await
}

#[tokio::test]
async fn a_page_makes_the_same_calls_whatever_stands_in_it() {
    let api = filled(1, 4).await;
    for size in [1, 33, PAGE] {
        let cases = [told(size), untold(size)].concat();
        measure(&api, &format!("a page of {size}"), &cases).await;
    }
}

/// The lines of these operations.
pub async fn measured() -> Vec<Line> {
    lines(small().await, large().await)
}
