//! Findings of other programs: reports of checkov and trivy in JSON, and SARIF of any program.

mod checkov;
mod join;
mod report;
mod sarif;
mod trivy;

use serde::Deserialize;

use super::graph::Built;
use super::imported::Import;
use super::quote::without_values;
use super::text::text_of_program;
use super::unusable::Unusable;
use join::Joiner;
use report::Report;

/// The most bytes of a report.
pub const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// The most findings of all reports, each counted for every resource that it is about.
const MAX_FINDINGS: usize = 100_000;

/// What the forms of reports have. Which of these members are there says which form it is.
#[derive(Deserialize)]
struct Any {
    /// Of SARIF.
    runs: Option<Vec<sarif::Run>>,
    /// Of trivy.
    #[serde(rename = "SchemaVersion")]
    schema_version: Option<u64>,
    #[serde(rename = "Results")]
    trivy: Option<Vec<trivy::Target>>,
    /// Of checkov.
    results: Option<checkov::Results>,
    resource_count: Option<u64>,
}

/// Adds the findings of a report. `name` is that of its file, and `base` the folder that was analyzed.
///
/// # Errors
/// It is not a report of a known form, or has too many findings.
pub fn import(
    built: &mut Built,
    name: &str,
    report: &[u8],
    base: Option<&std::path::Path>,
) -> Result<(), Unusable> {
    let refused = |reason: String| Unusable(format!("{name}: {reason}."));
    let report = read(name, report)?.map_err(refused)?;
    let mut import = Import {
        file: name.to_owned(),
        findings: report.findings.len(),
        others: report.others,
        ..Import::default()
    };
    let mut joined = Vec::new();
    let joiner = Joiner::of(built, base);
    for finding in report.findings {
        if !import.tools.contains(&finding.tool) {
            import.tools.push(finding.tool.clone());
        }
        import.suppressed += usize::from(finding.suppressed.is_some());
        let found = joiner.joined(finding);
        import.joined += usize::from(found.iter().any(|one| one.node.is_some()));
        joined.extend(found);
        if built.imported.len() + joined.len() > MAX_FINDINGS {
            let reason = format!("the reports have more than {MAX_FINDINGS} findings of resources");
            return Err(refused(reason));
        }
    }
    built.imported.extend(joined);
    built.imported.sort();
    built.imported.dedup();
    for (file, reason) in report.unread {
        built.unread.entry(file).or_insert(reason);
    }
    built.imports.push(import);
    Ok(())
}

/// The findings of a report; inside, why it is none.
fn read(name: &str, report: &[u8]) -> Result<Result<Report, String>, Unusable> {
    let text = text_of_program(name, report)?;
    // Checkov prints a list if it has looked at several kinds of files.
    let parsed: Result<Vec<Any>, _> = if text.trim_start().starts_with('[') {
        serde_json::from_str(&text)
    } else {
        serde_json::from_str(&text).map(|one| vec![one])
    };
    let parsed = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            let error = without_values(&error.to_string());
            return Ok(Err(format!(
                "it is not SARIF, and not JSON of checkov or trivy: {error}"
            )));
        }
    };
    let mut read = Report::default();
    for one in parsed {
        if let Err(reason) = add(&mut read, one) {
            return Ok(Err(reason));
        }
    }
    Ok(Ok(read))
}

fn add(report: &mut Report, any: Any) -> Result<(), String> {
    if let Some(runs) = any.runs {
        return runs.into_iter().try_for_each(|run| run.add(report));
    }
    if let Some(results) = any.results {
        return results.add(report);
    }
    // A report about nothing has no results.
    if any.schema_version.is_some() || any.trivy.is_some() {
        let mut targets = any.trivy.into_iter().flatten();
        return targets.try_for_each(|target| target.add(report));
    }
    if any.resource_count.is_some() {
        return Ok(());
    }
    Err("it is not SARIF, and not JSON of checkov or trivy".to_owned())
}
