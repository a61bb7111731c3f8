//! The ports that a rule of a firewall opens, and how severe that is.

use crate::finding::Severity;
use crate::graph::Values;
use crate::value::Value;

/// Ports that no stranger should reach: shells, desktops, shared folders, databases, and the management of machines and
/// containers.
const SENSITIVE: [u16; 17] = [
    22, 23, 445, 1433, 1521, 2375, 3306, 3389, 5432, 5439, 5985, 5986, 6379, 9200, 10250, 11211,
    27017,
];
/// Protocols without ports.
const WITHOUT_PORTS: [&str; 6] = ["ah", "esp", "icmp", "icmpv6", "ipip", "sctp"];
/// Numbers of protocols that have names.
const NUMBERS: [(&str, &str); 4] = [("1", "icmp"), ("6", "tcp"), ("17", "udp"), ("58", "icmpv6")];

/// How messages name a protocol that is not known.
const UNKNOWN_PROTOCOL: &str = "an unknown protocol";

/// The name of a protocol in messages. A word that is not a protocol may be a secret.
fn protocol_name(protocol: &str) -> &str {
    let is_number = protocol.len() <= 3 && protocol.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((_, name)) = NUMBERS.iter().find(|(number, _)| *number == protocol) {
        return name;
    }
    let is_known = matches!(protocol, "-1" | "all" | "tcp" | "udp");
    if is_known || is_number || WITHOUT_PORTS.contains(&protocol) {
        protocol
    } else {
        UNKNOWN_PROTOCOL
    }
}

/// How severe open ports are, and which these are, for people.
pub type Ports = (Severity, String);

/// The severity of opening these ports, and the ports for people.
pub fn ports(rule: &Values) -> Ports {
    let protocol = rule.get("protocol").or_else(|| rule.get("ip_protocol"));
    let protocol = protocol.and_then(Value::as_text);
    let protocol = protocol.map(|protocol| protocol.to_lowercase());
    let protocol = protocol.as_deref().map_or(UNKNOWN_PROTOCOL, protocol_name);
    if matches!(protocol, "-1" | "all") {
        return (Severity::High, "all ports".to_owned());
    }
    if WITHOUT_PORTS.contains(&protocol) {
        return (Severity::Medium, protocol.to_owned());
    }
    match (port(rule, "from_port"), port(rule, "to_port")) {
        (Some(from), Some(to)) => (
            severity(from, to),
            format!("{protocol} {}", port_range(from, to)),
        ),
        _ => (
            Severity::Medium,
            format!("{protocol}, ports that are not known"),
        ),
    }
}

/// A range of ports for people.
fn port_range(from: u16, to: u16) -> String {
    if from == to {
        format!("port {from}")
    } else {
        format!("ports {from} to {to}")
    }
}

/// The same for ranges of ports of a protocol; `None` for one that is not known.
pub fn open(protocol: Option<String>, ranges: &[Option<(u16, u16)>]) -> Ports {
    let protocol = protocol.map(|protocol| protocol.to_lowercase());
    let name = match protocol.as_deref() {
        Some("*" | "all" | "any") => "any protocol",
        Some(protocol) if WITHOUT_PORTS.contains(&protocol) => {
            return (Severity::Medium, protocol.to_owned());
        }
        Some(protocol) => protocol_name(protocol),
        None => UNKNOWN_PROTOCOL,
    };
    let mut each = ranges.iter();
    if each.any(|range| matches!(range, Some((0 | 1, u16::MAX)))) {
        return (Severity::High, format!("all ports of {name}"));
    }
    let all = ranges.iter().map(|range| match range {
        Some((from, to)) => (
            severity(*from, *to),
            format!("{name} {}", port_range(*from, *to)),
        ),
        None => (
            Severity::Medium,
            format!("{name}, ports that are not known"),
        ),
    });
    let all: Vec<_> = all.collect();
    let worst = all.iter().map(|(severity, _)| *severity).min();
    let texts: Vec<_> = all.into_iter().map(|(_, text)| text).collect();
    (worst.unwrap_or(Severity::Medium), texts.join(", "))
}

fn severity(from: u16, to: u16) -> Severity {
    if SENSITIVE.iter().any(|port| (from..=to).contains(port)) {
        Severity::High
    } else if from == to && matches!(from, 80 | 443) {
        Severity::Low
    } else {
        Severity::Medium
    }
}

fn port(rule: &Values, name: &str) -> Option<u16> {
    let text = rule.get(name)?.as_text()?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(protocol: &str, port: f64) -> Ports {
        ports(&Values::from([
            ("protocol".to_owned(), Value::Text(protocol.to_owned())),
            ("from_port".to_owned(), Value::Number(port)),
            ("to_port".to_owned(), Value::Number(port)),
        ]))
    }

    #[test]
    fn ports_are_named_with_their_protocol_and_those_of_management_are_severe() {
        for (protocol, port, severity, text) in [
            ("6", 22.0, Severity::High, "tcp port 22"),
            ("17", 53.0, Severity::Medium, "udp port 53"),
            ("icmp", -1.0, Severity::Medium, "icmp"),
            ("58", -1.0, Severity::Medium, "icmpv6"),
            ("tcp", 23.0, Severity::High, "tcp port 23"),
            ("tcp", 445.0, Severity::High, "tcp port 445"),
            ("tcp", 5985.0, Severity::High, "tcp port 5985"),
            ("tcp", 5986.0, Severity::High, "tcp port 5986"),
            ("tcp", 10250.0, Severity::High, "tcp port 10250"),
            ("tcp", 8080.0, Severity::Medium, "tcp port 8080"),
        ] {
            assert_eq!(of(protocol, port), (severity, text.to_owned()));
        }
    }
}
