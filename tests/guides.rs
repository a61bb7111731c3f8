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
