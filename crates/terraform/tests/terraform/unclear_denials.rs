//! Rules of network security groups of Azure that deny before another one allows.

use crate::unclear::{assert_outcome, rule_of_azure};

const GROUP: &str = "open-security-group";

/// The arguments of a rule of a network security group.
fn rule(priority: &str, access: &str, source: &str, port: &str) -> String {
    let quoted = |text: &str| format!("\"{text}\"");
    rule_of_azure(priority, &quoted(access), &quoted(source), port)
}

/// A network security group with these rules.
fn group(rules: &[&str]) -> String {
    let rules = rules
        .iter()
        .map(|rule| format!("  security_rule {{\n{rule}  }}\n"));
    let rules: String = rules.collect();
    format!("variable \"a\" {{}}\nresource \"azurerm_network_security_group\" \"g\" {{\n{rules}}}")
}

#[test]
fn a_denial_with_a_lower_number_counts() {
    let allow = rule("200", "Allow", "*", "22");
    for (denial, expected) in [
        (rule("100", "Deny", "*", "*"), "clear"),
        (rule("100", "Deny", "Internet", "20-30"), "clear"),
        (
            rule("100", "Deny", "*", "*").replace("\"Tcp\"", "\"*\""),
            "clear",
        ),
        (rule("300", "Deny", "*", "*"), "found"),
        (rule("100", "Deny", "*", "443"), "found"),
        (rule("100", "Deny", "10.0.0.0/8", "*"), "found"),
        (
            rule("100", "Deny", "*", "*").replace("\"Tcp\"", "\"Udp\""),
            "found",
        ),
        (
            rule("100", "Deny", "*", "*").replace(
                "destination_address_prefix = \"*\"",
                "destination_address_prefix = \"10.0.0.4\"",
            ),
            "found",
        ),
        (
            rule("100", "Deny", "*", "*").replace(
                "destination_address_prefix = \"*\"",
                "destination_application_security_group_ids = [\"x\"]",
            ),
            "found",
        ),
        (
            rule("100", "Deny", "*", "*")
                .replace("source_port_range = \"*\"", "source_port_range = \"80\""),
            "found",
        ),
        (
            rule("100", "Deny", "*", "*").replace("Inbound", "Outbound"),
            "found",
        ),
        (rule("var.a", "Deny", "*", "*"), "undecided"),
        (
            rule("100", "Deny", "*", "*").replace("\"Deny\"", "var.a"),
            "undecided",
        ),
    ] {
        let text = group(&[&allow, &denial]);
        assert_outcome(&text, (GROUP, "azurerm_network_security_group.g"), expected);
        let text = format!(
            "variable \"a\" {{}}\nresource \"azurerm_network_security_group\" \"g\" {{ name = \"g\" }}\nresource \"azurerm_network_security_rule\" \"a\" {{\n  network_security_group_name = azurerm_network_security_group.g.name\n{allow}}}\nresource \"azurerm_network_security_rule\" \"d\" {{\n  network_security_group_name = azurerm_network_security_group.g.name\n{denial}}}"
        );
        assert_outcome(&text, (GROUP, "azurerm_network_security_rule.a"), expected);
        let other = text.replacen("azurerm_network_security_group.g.name", "\"other\"", 1);
        assert_outcome(&other, (GROUP, "azurerm_network_security_rule.a"), "found");
    }
}

#[test]
fn a_denial_may_cover_a_port_or_a_protocol_that_is_not_known() {
    let allow = rule("200", "Allow", "*", "${var.a}");
    let of_protocol = rule("200", "Allow", "*", "22").replace("\"Tcp\"", "var.a");
    let any = rule("100", "Deny", "*", "*").replace("\"Tcp\"", "\"*\"");
    for (allow, denial, expected) in [
        (&allow, rule("100", "Deny", "*", "*"), "clear"),
        (&allow, rule("100", "Deny", "*", "443"), "undecided"),
        (&allow, rule("300", "Deny", "*", "443"), "found"),
        (&of_protocol, any, "clear"),
        (&of_protocol, rule("100", "Deny", "*", "22"), "undecided"),
        (&of_protocol, rule("100", "Deny", "*", "443"), "found"),
    ] {
        let text = group(&[allow, &denial]);
        assert_outcome(&text, (GROUP, "azurerm_network_security_group.g"), expected);
    }
}

#[test]
fn more_denials_than_are_compared_leave_a_rule_undecided() {
    for (count, expected) in [(100, "found"), (101, "undecided")] {
        let denial = |at: u32| rule(&(100 + at).to_string(), "Deny", "*", "443");
        let mut rules: Vec<_> = (0..count).map(denial).collect();
        rules.push(rule("400", "Allow", "*", "22"));
        let rules: Vec<_> = rules.iter().map(String::as_str).collect();
        let text = group(&rules);
        assert_outcome(&text, (GROUP, "azurerm_network_security_group.g"), expected);
    }
}
