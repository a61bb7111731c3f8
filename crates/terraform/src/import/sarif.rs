//! SARIF 2.1.0 of any program. Source: "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", OASIS.

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde_json::Value as Json;

use super::report::{Report, shortened, some, tool_name};
use crate::finding::Severity;
use crate::imported::Imported;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    tool: Tool,
    results: Option<Vec<Outcome>>,
    original_uri_base_ids: Option<BTreeMap<String, Artifact>>,
}

#[derive(Deserialize)]
struct Tool {
    driver: Component,
    extensions: Option<Vec<Component>>,
}

#[derive(Deserialize)]
struct Component {
    name: Option<String>,
    rules: Option<Vec<Rule>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    short_description: Option<Text>,
    help_uri: Option<String>,
    default_configuration: Option<Configuration>,
    properties: Option<Properties>,
}

#[derive(Deserialize)]
struct Configuration {
    level: Option<String>,
}

/// By which code hosts tell how severe a problem of security is: a number up to 10, as a text.
#[derive(Deserialize)]
struct Properties {
    #[serde(rename = "security-severity")]
    severity: Option<Json>,
}

#[derive(Deserialize)]
struct Text {
    text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    rule_id: Option<String>,
    rule_index: Option<i64>,
    rule: Option<RuleReference>,
    kind: Option<String>,
    level: Option<String>,
    message: Option<Text>,
    locations: Option<Vec<Location>>,
    suppressions: Option<Vec<Suppression>>,
    baseline_state: Option<String>,
    properties: Option<Properties>,
}

#[derive(Deserialize)]
struct RuleReference {
    id: Option<String>,
    index: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Option<Physical>,
    logical_locations: Option<Vec<Logical>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Option<Artifact>,
    region: Option<Region>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    uri: Option<String>,
    uri_base_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Logical {
    fully_qualified_name: Option<String>,
    name: Option<String>,
}

#[derive(Deserialize)]
struct Suppression {
    status: Option<String>,
    justification: Option<String>,
}

impl Run {
    /// Adds the results that are findings.
    pub fn add(self, report: &mut Report) -> Result<(), String> {
        let tool = tool_name(self.tool.driver.name.as_deref().unwrap_or_default());
        let bases = self.original_uri_base_ids.unwrap_or_default();
        let driver = self.tool.driver.rules.unwrap_or_default();
        let extensions = self.tool.extensions.into_iter().flatten();
        let others: Vec<_> = extensions
            .flat_map(|one| one.rules.unwrap_or_default())
            .collect();
        let mut by_id = BTreeMap::new();
        for rule in driver.iter().chain(&others) {
            by_id.entry(rule.id.as_str()).or_insert(rule);
        }
        for result in self.results.into_iter().flatten() {
            if !result.is_finding() {
                report.others += 1;
                continue;
            }
            let index = result.rule.as_ref().and_then(|rule| rule.index);
            let index = result
                .rule_index
                .or(index)
                .and_then(|at| usize::try_from(at).ok());
            let id = result.rule.as_ref().and_then(|rule| rule.id.clone());
            let id = result.rule_id.clone().or(id);
            let rule = match &id {
                Some(id) => by_id.get(id.as_str()).copied(),
                None => index.and_then(|at| driver.get(at)),
            };
            report.add(result.finding(&tool, id.as_deref(), rule, &bases))?;
        }
        Ok(())
    }
}

impl Outcome {
    /// Whether something is wrong, or may be. What is absent was found before, and is gone.
    fn is_finding(&self) -> bool {
        let is_kind = !matches!(
            self.kind.as_deref(),
            Some("pass" | "notApplicable" | "informational")
        );
        is_kind && self.baseline_state.as_deref() != Some("absent")
    }

    fn finding(
        self,
        tool: &str,
        id: Option<&str>,
        rule: Option<&Rule>,
        bases: &BTreeMap<String, Artifact>,
    ) -> Imported {
        let id = id
            .or(rule.map(|rule| rule.id.as_str()))
            .unwrap_or("unnamed");
        let severity = self.severity(rule);
        let suppressed = self.suppressed();
        let title = rule.and_then(|rule| rule.short_description.as_ref()?.text.clone());
        let message = some(self.message.and_then(|message| message.text));
        let location = self.locations.and_then(|all| all.into_iter().next());
        let (physical, logical) = match location {
            Some(one) => (one.physical_location, one.logical_locations),
            None => (None, None),
        };
        let logical = logical.and_then(|all| all.into_iter().next());
        let (artifact, region) = match physical {
            Some(one) => (one.artifact_location, one.region),
            None => (None, None),
        };
        Imported {
            tool: tool.to_owned(),
            rule: super::report::rule(tool, id),
            severity,
            message: message.or(some(title)).unwrap_or_else(|| shortened(id)),
            address: logical.and_then(|one| some(one.fully_qualified_name).or(some(one.name))),
            file: artifact.and_then(|one| one.path(bases)),
            line: region.and_then(|region| region.start_line),
            help: rule.and_then(|rule| some(rule.help_uri.clone())),
            suppressed,
            ..Imported::default()
        }
    }

    /// How severe it is: by its number, or by its level. Without a level, its rule has one, or it is a warning.
    fn severity(&self, rule: Option<&Rule>) -> Option<Severity> {
        // What is open or to be reviewed has no level.
        if self.kind.as_deref().is_some_and(|kind| kind != "fail") {
            return None;
        }
        let of_rule = rule.and_then(|rule| rule.properties.as_ref());
        let numbers = [self.properties.as_ref(), of_rule].into_iter().flatten();
        let mut numbers = numbers.filter_map(|one| number(one.severity.as_ref()?));
        if let Some(number) = numbers.next() {
            return of_number(number);
        }
        let configured =
            rule.and_then(|rule| rule.default_configuration.as_ref()?.level.as_deref());
        match self.level.as_deref().or(configured).unwrap_or("warning") {
            "error" => Some(Severity::High),
            "warning" => Some(Severity::Medium),
            "note" => Some(Severity::Low),
            _ => None,
        }
    }

    /// Why it does not count. A suppression that is not accepted suppresses nothing.
    fn suppressed(&self) -> Option<String> {
        let all = self.suppressions.as_ref().filter(|all| !all.is_empty())?;
        let is_accepted = |one: &Suppression| {
            one.status
                .as_deref()
                .is_none_or(|status| status == "accepted")
        };
        if !all.iter().all(is_accepted) {
            return None;
        }
        let reason = all.iter().find_map(|one| some(one.justification.clone()));
        Some(reason.unwrap_or_else(|| "It is suppressed in the report.".to_owned()))
    }
}

fn number(value: &Json) -> Option<f64> {
    match value {
        Json::String(text) => text.trim().parse().ok(),
        value => value.as_f64(),
    }
}

/// As code hosts read the number. Source: "Supporting SARIF for code scanning", the documentation of GitHub.
fn of_number(number: f64) -> Option<Severity> {
    if !(0.0..=10.0).contains(&number) || number == 0.0 {
        None
    } else if number >= 7.0 {
        Some(Severity::High)
    } else if number >= 4.0 {
        Some(Severity::Medium)
    } else {
        Some(Severity::Low)
    }
}

impl Artifact {
    /// The path: from the root of the file system if the report says where its folder is.
    fn path(self, bases: &BTreeMap<String, Artifact>) -> Option<String> {
        let uri = some(self.uri)?;
        let base = self.uri_base_id.and_then(|id| bases.get(&id)?.uri.clone());
        let whole = match base {
            Some(base) if base.starts_with("file:") => {
                format!("{}/{uri}", base.trim_end_matches('/'))
            }
            _ => uri,
        };
        let path = whole.strip_prefix("file:").unwrap_or(&whole);
        Some(percent_decode_str(path).decode_utf8_lossy().into_owned())
    }
}
