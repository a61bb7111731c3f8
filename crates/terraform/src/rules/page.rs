//! The pages of the rules, as docs have them.

#[cfg(test)]
mod tests {
    use super::super::catalog::RULES;
    use super::super::encryption::Encryption;
    use super::super::types;

    /// Whether the internet may reach resources of a type by an address.
    fn has_address(row: &types::ResourceType) -> bool {
        !row.exposed.is_empty() || row.placed.is_some() || row.name == types::MACHINES
    }

    fn page() -> String {
        let mut page = "# Rules of graph-runs\n\nThis page is generated from the rules. Each example is a test.\n".to_owned();
        for rule in RULES {
            page.push_str(&format!(
                "\n## {}\n\n{}. Severity: {}. Weakness: CWE-{}.\n\n{}\n\nRemedy: {}\n\nFound:\n\n```hcl\n{}```\n\nClear:\n\n```hcl\n{}```\n",
                rule.id, rule.title, rule.severity.word(), rule.weakness, rule.details, rule.remediation, rule.bad, rule.good
            ));
        }
        page.push_str("\n## Types of services with an address\n\n");
        for row in types::all().filter(|row| has_address(row)) {
            page.push_str(&format!("- `{}`\n", row.name));
        }
        page.push_str("\n## Encryption at rest\n\n| type | encrypted |\n|---|---|\n");
        for row in types::all() {
            let (kind, Some(encryption)) = (row.name, row.encrypted) else {
                continue;
            };
            let text = match encryption {
                Encryption::Always => "always".to_owned(),
                Encryption::Flag(path, Some(default)) => {
                    format!("`{path}`; {default} if it is left out")
                }
                Encryption::Flag(path, None) => {
                    format!("`{path}`; the provider's version decides if it is left out")
                }
                Encryption::FlagUnless(path, other, word) => {
                    format!("`{path}`; if it is left out, only with `{other}` `{word}`")
                }
                Encryption::Flags(paths) => {
                    format!("`{}`; false if one is left out", paths.join("` and `"))
                }
                Encryption::Word(path, word) => format!("if `{path}` is `{word}`"),
                Encryption::Never(path, word) => format!("never, unless `{path}` is `{word}`"),
                Encryption::Blocks(paths, true) => format!(
                    "`encrypted` of each `{}`; undecided without one",
                    paths.join("`, `")
                ),
                Encryption::Blocks(paths, false) => {
                    format!("`encrypted` of each `{}`", paths.join("`, `"))
                }
            };
            page.push_str(&format!("| `{kind}` | {text} |\n"));
        }
        page
    }

    #[test]
    fn the_page_in_docs_is_that_of_the_rules() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/graph-rules.md");
        if std::env::var_os("TRESTLE_BLESS").is_some() {
            std::fs::write(path, page()).unwrap();
        }
        let there = std::fs::read_to_string(path).unwrap();
        assert!(
            there == page(),
            "Run the tests with TRESTLE_BLESS=1 to write {path}."
        );
    }

    #[test]
    fn the_guide_lists_every_rule_with_its_severity_and_no_other() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/graph-runs.md");
        let guide = std::fs::read_to_string(path).unwrap();
        let (_, section) = guide.split_once("### Rules\n").unwrap();
        let (section, _) = section.split_once("\n### ").unwrap();
        let rows: Vec<_> = section
            .lines()
            .filter(|row| row.starts_with("| `"))
            .collect();
        let expected = RULES.map(|rule| {
            let severity = rule.severity.word();
            format!("| `{}` | {severity} | {} |", rule.id, rule.title)
        });
        assert_eq!(rows, expected);
    }
}
