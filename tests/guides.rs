//! The guides whose example is a part of the tree: each block of code is in the file that it names.

use std::fs;
use std::path::Path;

/// The lines of a text without the spaces at their ends.
fn lines(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty()).collect()
}

#[test]
fn a_field_is_added_as_its_guide_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = fs::read_to_string(root.join("docs/adding-a-field.md")).unwrap();
    let mut files = Vec::new();
    for part in guide.split("<!-- ").skip(1) {
        let (file, rest) = part.split_once(" -->").unwrap();
        let (_, block) = rest.split_once("```rust\n").unwrap();
        let (block, _) = block.split_once("```").unwrap();
        let source = fs::read_to_string(root.join(file)).unwrap();
        let (source, block) = (lines(&source), lines(block));
        let is_there = source.windows(block.len()).any(|part| part == block);
        assert!(is_there, "{file} has no\n{}", block.join("\n"));
        files.push(file.to_owned());
    }
    // No other file of Rust says the name of the field.
    let mut found = Vec::new();
    for folder in ["crates", "src"] {
        find(&root.join(folder), &mut found);
    }
    let mut found: Vec<_> = found
        .iter()
        .map(|file| {
            file.strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    found.sort_unstable();
    files.sort_unstable();
    assert_eq!(found, files);
}

/// The sources below a folder, without tests, that name the field.
fn find(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("tests") && !path.ends_with("node_modules") {
                find(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            if text.contains("closing_date") || text.contains("closingDate") {
                found.push(path);
            }
        }
    }
}

#[test]
fn the_files_of_a_request_call_each_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/life-of-a-request.md")).unwrap();
    let mut chapters = 0;
    for chapter in page.split("\n## ").skip(1) {
        let mut sources = Vec::new();
        for row in chapter.lines().filter(|line| line.starts_with("| ")) {
            let cells: Vec<_> = row
                .split('|')
                .map(|cell| cell.trim().trim_matches('`'))
                .collect();
            let [_, number, file, name, caller, ..] = cells[..] else {
                panic!("{row}");
            };
            if number.is_empty() {
                continue;
            }
            let source = fs::read_to_string(root.join(file)).unwrap();
            let declared = ["fn", "struct", "macro_rules!"].map(|kind| format!("{kind} {name}"));
            let is_declared = declared.iter().any(|text| source.contains(text));
            assert!(is_declared, "{file} does not declare {name}");
            if let Ok(caller) = caller.parse::<usize>() {
                let (caller, text): &(String, String) = &sources[caller - 1];
                assert!(text.contains(name), "{caller} does not call {name}");
            }
            sources.push((file.to_owned(), source));
        }
        assert!(sources.len() > 10, "{chapter}");
        chapters += 1;
    }
    assert_eq!(chapters, 2);
}

/// The texts in the arguments of the macros and attributes of a source whose beginnings are given, in one line each.
fn messages(source: &str, beginnings: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for beginning in beginnings {
        for part in source.split(beginning).skip(1) {
            // The first text with a blank is the message: names of fields have none.
            let texts = part.split('"').skip(1).step_by(2).take(3);
            let text = texts.map(|text| text.replace("\\\n", " "));
            let text = text.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
            found.extend(text.into_iter().find(|text| text.contains(' ')));
        }
    }
    found
}

/// The longest part of a message that is the same each time.
fn fixed(message: &str) -> String {
    let parts = message.split('{').flat_map(|part| part.rsplit('}').next());
    let longest = parts.map(str::trim).max_by_key(|part| part.len());
    longest
        .unwrap_or_default()
        .trim_end_matches([',', ':'])
        .to_owned()
}

/// What the store and its backups report of damage, loss, space and clocks: every error and warning of their sources.
#[test]
fn every_message_about_the_store_is_in_the_runbook() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let runbook = fs::read_to_string(root.join("docs/runbook.md")).unwrap();
    let mut sources = vec![
        root.join("src/commands/backups.rs"),
        root.join("src/commands/retention.rs"),
    ];
    let folder = fs::read_dir(root.join("crates/dynamodb/src")).unwrap();
    sources.extend(folder.map(|entry| entry.unwrap().path()));
    let mut number = 0;
    for source in sources {
        let mut beginnings = vec!["tracing::error!(", "tracing::warn!("];
        if source.ends_with("errors.rs") {
            beginnings.push("#[error(");
        }
        if source.ends_with("damage.rs") {
            beginnings.push("write!(");
        }
        let text = fs::read_to_string(&source).unwrap();
        for message in messages(&text, &beginnings) {
            let fixed = fixed(&message);
            assert!(
                runbook.contains(&fixed),
                "docs/runbook.md has no entry for \"{fixed}\" of {}",
                source.display()
            );
            number += 1;
        }
    }
    assert!(number > 40, "{number} messages were found");
}
