//! The page of metrics in the text format of Prometheus. It differs from OpenMetrics in the names of counters, which end with
//! `_total` in their descriptions too, and in the types that it knows.
//!
//! Source: <https://prometheus.io/docs/instrumenting/exposition_formats/>.

/// The media type of the text format.
pub(super) const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";
/// The media type of OpenMetrics.
pub(super) const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A page of OpenMetrics in the text format, in which its end is a comment.
pub(super) fn in_text_format(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    let mut help = "";
    for line in page.lines() {
        // A family is described in two lines, and its name depends on the second one.
        if let Some(described) = line.strip_prefix("# HELP ") {
            help = described;
            continue;
        }
        let Some((name, kind)) = line
            .strip_prefix("# TYPE ")
            .and_then(|described| described.split_once(' '))
        else {
            text += line;
            text.push('\n');
            continue;
        };
        let (ending, kind) = match kind {
            "counter" => ("_total", kind),
            "info" => ("_info", "gauge"),
            _ => ("", kind),
        };
        let help = help.strip_prefix(name).unwrap_or_default();
        text += &format!("# HELP {name}{ending}{help}\n# TYPE {name}{ending} {kind}\n");
    }
    text
}
