//! After a run: every list, by every filter and in both orders, has each application of it once and in its
//! place, page by page and from either end.

use serde_json::{Value, json};

use super::domain::{Application, STATUSES, is_in};
use super::inputs;
use crate::world::World;
use trestle_testing::faults::Seeded;

/// An application's `updatedAt`, id and state.
pub type Listed = (Value, String, Application);

/// So many lists by other filters, and in small pages.
const DRAWN: usize = 24;

pub async fn check(world: &World, mut all: Vec<Listed>, random: &mut Seeded) {
    all.sort_by(|a, b| (a.0.as_str(), &a.1).cmp(&(b.0.as_str(), &b.1)));
    for archived in ["EXCLUDE", "ONLY", "INCLUDE"] {
        let whole = [
            json!({ "archived": archived }),
            json!({ "archived": archived, "statuses": STATUSES }),
        ];
        let by_status =
            STATUSES.map(|status| json!({ "archived": archived, "statuses": [status] }));
        for filter in whole.into_iter().chain(by_status) {
            for order in ["UPDATED_AT_DESC", "UPDATED_AT_ASC"] {
                let end = [("first", "after"), ("last", "before")][random.below(2) as usize];
                walk(world, &all, &filter, (order, 100, end)).await;
            }
        }
    }
    for _ in 0..DRAWN {
        let (filter, order, size) = inputs::question(random);
        let end = [("first", "after"), ("last", "before")][random.below(2) as usize];
        walk(world, &all, &filter, (order, 5 + 3 * size, end)).await;
    }
}

async fn walk(
    world: &World,
    all: &[Listed],
    filter: &Value,
    (order, size, (take, from)): (&str, u64, (&str, &str)),
) {
    let query = format!(
        "query($filter: ApplicationFilter, $order: ApplicationOrder!, $size: Int!, $cursor: String) {{
           applications(filter: $filter, orderBy: $order, {take}: $size, {from}: $cursor) {{
             totalCount edges {{ node {{ id }} }}
             pageInfo {{ hasNextPage hasPreviousPage startCursor endCursor }} }} }}"
    );
    let backward = take == "last";
    let mut expected: Vec<&str> = all
        .iter()
        .filter(|(_, _, state)| is_in(filter, state))
        .map(|(_, id, _)| id.as_str())
        .collect();
    // From the list's end, the pages come the other way round.
    if (order == "UPDATED_AT_DESC") != backward {
        expected.reverse();
    }
    let mut listed = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let variables = json!({ "filter": filter, "order": order, "size": size, "cursor": cursor });
        let page = world.api.data(&query, variables).await["applications"].clone();
        let edges = page["edges"].as_array().unwrap();
        let mut ids: Vec<_> = edges
            .iter()
            .map(|edge| edge["node"]["id"].clone())
            .collect();
        if backward {
            ids.reverse();
        }
        listed.extend(ids);
        let count = page["totalCount"].as_u64();
        assert!(
            count.is_none_or(|count| count == expected.len() as u64),
            "{filter}: {page}"
        );
        let (more, next) = if backward {
            ("hasPreviousPage", "startCursor")
        } else {
            ("hasNextPage", "endCursor")
        };
        if page["pageInfo"][more] == false {
            break;
        }
        assert_eq!(edges.len() as u64, size, "a page before the last one");
        cursor = page["pageInfo"][next].clone();
    }
    assert_eq!(json!(listed), json!(expected), "{filter} {order} {take}");
}
