//! The ports that a rule of a security group opens, and how severe that is.

use crate::pipeline::finding::Severity;
use crate::pipeline::graph::Values;
use crate::pipeline::value::Value;

/// Ports that no stranger should reach: shells, desktops, databases.
const SENSITIVE: [u16; 12] = [
    22, 1433, 1521, 2375, 3306, 3389, 5432, 5439, 6379, 9200, 11211, 27017,
];
/// The severity of opening these ports, and the ports for people.
pub fn ports(rule: &Values) -> (Severity, String) {
    let protocol = rule.get("protocol").or_else(|| rule.get("ip_protocol"));
    let protocol = protocol.and_then(Value::as_text);
    let protocol = protocol.unwrap_or_else(|| "an unknown protocol".to_owned());
    if matches!(protocol.as_str(), "-1" | "all") {
        return (Severity::High, "all ports".to_owned());
    }
    let port = |name: &str| rule.get(name).and_then(Value::as_text)?.parse::<u16>().ok();
    match (port("from_port"), port("to_port")) {
        (Some(from), Some(to)) => {
            let severity = if SENSITIVE.iter().any(|port| (from..=to).contains(port)) {
                Severity::High
            } else if from == to && matches!(from, 80 | 443) {
                Severity::Low
            } else {
                Severity::Medium
            };
            (severity, format!("{protocol} ports {from} to {to}"))
        }
        _ => (
            Severity::Medium,
            format!("{protocol}, ports that are not known"),
        ),
    }
}
