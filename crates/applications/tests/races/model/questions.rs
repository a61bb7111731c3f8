//! What the clients ask while everything changes: answers are held against what can be true just then.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::client::{Client, WHOLE};
use super::domain::is_in;
use super::inputs;
use super::seen::domain_of;

/// A list that a client goes through page by page, while the list changes.
pub struct Walk {
    filter: Value,
    order: &'static str,
    size: u64,
    cursor: Value,
    /// Each application, by its id and beginning, at the versions at which it was listed.
    listed: BTreeSet<((String, String), u64)>,
}

impl Client<'_> {
    pub async fn ask(&mut self, die: u64, id: &str) {
        match die {
            72..81 => self.ask_for_one(id).await,
            81..92 => self.ask_for_page().await,
            92..96 => self.ask_for_things(id).await,
            _ => self.ask_for_totals().await,
        }
    }

    /// `data`, unless the store could not be reached just now. Nothing else may go wrong.
    async fn data(&self, query: &str, variables: Value) -> Option<Value> {
        let answer = self.world.api.run(query, variables).await;
        let Some(errors) = answer.body.get("errors") else {
            return Some(answer.body["data"].clone());
        };
        for error in errors.as_array().unwrap() {
            let code = &error["extensions"]["code"];
            assert_eq!(code, "SERVICE_UNAVAILABLE", "{:#}", answer.body);
        }
        None
    }

    async fn ask_for_one(&mut self, id: &str) {
        let size = 1 + self.random.below(6);
        let snapshot = WHOLE.replace(" id stageId", " stageId");
        let snapshot = snapshot.strip_prefix("id").unwrap();
        let query = format!(
            "query($id: ID!, $size: Int!) {{ application(id: $id) {{ {WHOLE}
               history(first: $size) {{ totalCount pageInfo {{ hasNextPage }}
                 edges {{ node {{ sequence createdAt snapshot {{ {snapshot} }} }} }} }} }} }}"
        );
        let floor = self.known.lock().unwrap().seen.floor(id);
        let Some(data) = self.data(&query, json!({ "id": id, "size": size })).await else {
            return;
        };
        let found = &data["application"];
        let mut known = self.known.lock().unwrap();
        if found.is_null() {
            return known.seen.missing(floor.as_ref(), id);
        }
        known.seen.newest(floor.as_ref(), found);
        let version = found["version"].as_u64().unwrap();
        let history = &found["history"];
        assert_eq!(history["totalCount"], version, "{found}");
        assert_eq!(
            history["pageInfo"]["hasNextPage"],
            version > size,
            "{found}"
        );
        let entries = history["edges"].as_array().unwrap();
        assert_eq!(entries.len() as u64, version.min(size), "{found}");
        for (back, entry) in entries.iter().enumerate() {
            let entry = &entry["node"];
            let mut snapshot = entry["snapshot"].clone();
            assert_eq!(entry["sequence"], version - back as u64, "{found}");
            assert_eq!(snapshot["version"], entry["sequence"], "{found}");
            assert_eq!(snapshot["updatedAt"], entry["createdAt"], "{found}");
            if back == 0 {
                assert_eq!(domain_of(&snapshot), domain_of(found), "{found}");
            }
            snapshot["id"] = json!(id);
            known.seen.state(&snapshot);
        }
    }

    async fn ask_for_page(&mut self) {
        const QUERY: &str = "query($filter: ApplicationFilter, $order: ApplicationOrder!,
          $size: Int!, $cursor: String) {
          applications(filter: $filter, orderBy: $order, first: $size, after: $cursor) {
            totalCount edges { cursor node { WHOLE } } pageInfo { hasNextPage endCursor } } }";
        let mut walk = self.walk.take().unwrap_or_else(|| {
            let (filter, order, size) = inputs::question(&mut self.random);
            let listed = BTreeSet::new();
            Walk {
                filter,
                order,
                size,
                cursor: Value::Null,
                listed,
            }
        });
        let variables = json!({
            "filter": walk.filter, "order": walk.order, "size": walk.size, "cursor": walk.cursor,
        });
        let Some(data) = self.data(&QUERY.replace("WHOLE", WHOLE), variables).await else {
            self.walk = Some(walk);
            return;
        };
        let page = &data["applications"];
        let edges = page["edges"].as_array().unwrap();
        assert!(edges.len() as u64 <= walk.size, "{page}");
        assert!(
            page["totalCount"].as_i64().is_none_or(|count| count >= 0),
            "{page}"
        );
        let mut places = Vec::new();
        for edge in edges {
            let node = &edge["node"];
            let text = |name: &str| node[name].as_str().unwrap().to_owned();
            self.known.lock().unwrap().seen.listed(node);
            assert!(
                is_in(&walk.filter, &domain_of(node)),
                "{}: {node}",
                walk.filter
            );
            // Made again after a delete, it counts from one again.
            let life = (text("id"), text("createdAt"));
            let listed = (life, node["version"].as_u64().unwrap());
            assert!(walk.listed.insert(listed), "listed twice: {node}");
            places.push((text("updatedAt"), text("id")));
        }
        let mut sorted = places.clone();
        sorted.sort();
        sorted.dedup_by(|a, b| a.1 == b.1);
        if walk.order == "UPDATED_AT_DESC" {
            sorted.reverse();
        }
        assert_eq!(places, sorted, "{}", walk.order);
        let ids: BTreeSet<_> = places.iter().map(|(_, id)| id).collect();
        assert_eq!(ids.len(), places.len(), "twice in one page: {page}");
        if page["pageInfo"]["hasNextPage"] == true {
            walk.cursor = page["pageInfo"]["endCursor"].clone();
            assert!(walk.cursor.is_string(), "{page}");
            self.walk = Some(walk);
        }
    }

    /// An application, one of its stages and one of its entries by their ids, and something that is not.
    async fn ask_for_things(&mut self, id: &str) {
        const QUERY: &str = "query($ids: [ID!]!) { nodes(ids: $ids) { __typename id
          ... on Application { WHOLE } ... on InterviewStage { stageId } } }";
        let (floor, stages) = {
            let known = self.known.lock().unwrap();
            (known.seen.floor(id), known.seen.stages(id))
        };
        let mut ids = vec![id.to_owned(), "bm90aGluZw".to_owned()];
        ids.extend(stages.iter().take(3).map(|(global, _)| global.clone()));
        let variables = json!({ "ids": ids });
        let Some(data) = self.data(&QUERY.replace("WHOLE", WHOLE), variables).await else {
            return;
        };
        let found = data["nodes"].as_array().unwrap();
        assert_eq!((found.len(), &found[1]), (ids.len(), &Value::Null));
        let mut known = self.known.lock().unwrap();
        match &found[0] {
            Value::Null => known.seen.missing(floor.as_ref(), id),
            // As in a list, its stages are read after it.
            node if known.seen.was_deleted(id) => known.seen.listed(node),
            node => known.seen.newest(floor.as_ref(), node),
        }
        for (node, (global, own)) in found[2..].iter().zip(&stages) {
            if !node.is_null() {
                assert_eq!(
                    (&node["id"], &node["stageId"]),
                    (&json!(global), &json!(own))
                );
            }
        }
    }

    async fn ask_for_totals(&self) {
        const QUERY: &str = "{ applicationStats { active archived byStatus { active archived } } }";
        let Some(data) = self.data(QUERY, json!({})).await else {
            return;
        };
        // One item, read at once: its totals go together at every moment.
        let stats = &data["applicationStats"];
        for name in ["active", "archived"] {
            let by_status = stats["byStatus"].as_array().unwrap().iter();
            let counts: Vec<_> = by_status.map(|by| by[name].as_i64().unwrap()).collect();
            assert!(counts.iter().all(|count| *count >= 0), "{stats}");
            assert_eq!(stats[name], counts.iter().sum::<i64>(), "{stats}");
        }
        let made = self.known.lock().unwrap().applications.len() as i64;
        let all = stats["active"].as_i64().unwrap() + stats["archived"].as_i64().unwrap();
        assert!(all <= made, "{all} of {made}");
    }
}
