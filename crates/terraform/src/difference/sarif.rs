//! A difference in SARIF: the results of the second analysis, each with its state since the first one.
//! Source: "3.27.24 baselineState property", SARIF 2.1.0.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::Difference;

/// What makes a result the same in two analyses.
const PRINTS: &str = "partialFingerprints";

impl Difference<'_> {
    /// The difference in SARIF; `root` is the URI of the folder that was analyzed.
    pub fn sarif(&self, root: Option<&str>) -> Json {
        let before = crate::sarif(self.base, root);
        let mut sarif = crate::sarif(self.head, root);
        let of_before = results(&before);
        let known = prints(&of_before);
        let mut all = results(&sarif);
        let now_read = self
            .now_read
            .iter()
            .map(|one| (one.rule, one.node.as_str()));
        let now_read: BTreeSet<_> = now_read.collect();
        for result in &mut all {
            let is_known = known.contains(&result[PRINTS].to_string());
            if is_known || !now_read.contains(&subject(result)) {
                result["baselineState"] = json!(if is_known { "unchanged" } else { "new" });
            }
        }
        let there = prints(&all);
        // Of what is not known any more, no state is true.
        let not_known = self
            .not_known
            .iter()
            .map(|one| (one.rule, one.node.as_str()));
        let not_known: BTreeSet<_> = not_known.collect();
        let mut rules = rules(&sarif);
        for mut result in of_before {
            let is_known = !not_known.contains(&subject(&result));
            if !is_known || there.contains(&result[PRINTS].to_string()) {
                continue;
            }
            result["baselineState"] = json!("absent");
            all.push(result);
        }
        // What is gone is of rules that the second analysis may not name.
        for rule in self::rules(&before) {
            if !rules.iter().any(|one| one["id"] == rule["id"]) {
                rules.push(rule);
            }
        }
        sarif["runs"][0]["results"] = json!(all);
        sarif["runs"][0]["tool"]["driver"]["rules"] = json!(rules);
        sarif
    }
}

fn results(sarif: &Json) -> Vec<Json> {
    let results = sarif["runs"][0]["results"].as_array();
    results.cloned().unwrap_or_default()
}

fn rules(sarif: &Json) -> Vec<Json> {
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array();
    rules.cloned().unwrap_or_default()
}

/// The rule of a result, and the node that it is about.
fn subject(result: &Json) -> (&str, &str) {
    let rule = result["ruleId"].as_str().unwrap_or_default();
    let node = &result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"];
    (rule, node.as_str().unwrap_or_default())
}

/// The fingerprints of results, by which two analyses name the same one.
fn prints(results: &[Json]) -> BTreeSet<String> {
    let prints = results.iter().map(|one| one[PRINTS].to_string());
    prints.collect()
}
