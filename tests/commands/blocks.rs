//! Every fenced block of the documents: commands run, operations are valid and are answered as the page says, data is well-formed. What
//! cannot run here is named with the reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use apollo_compiler::{ExecutableDocument, Schema};
use serde_json::{Value, json};

use crate::commands::documents::shell;
use crate::commands::run::Folder;
use crate::process::Process;

/// A fenced block of a document.
pub struct Block {
    document: PathBuf,
    /// The heading that it stands under.
    section: String,
    language: String,
    pub text: String,
}

impl Block {
    fn place(&self) -> String {
        let name = self.document.file_name().unwrap_or_default();
        format!("{}, {}:\n{}", name.display(), self.section, self.text)
    }

    fn is_of(&self, document: &str, section: &str) -> bool {
        self.document.ends_with(document) && self.section == section
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The documents: those of the root, of `docs`, and of the crates. Those of `examples` are tested with them.
pub fn pages() -> Vec<PathBuf> {
    let mut folders = vec![
        root().to_owned(),
        root().join("docs"),
        root().join("benches"),
    ];
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        folders.push(folder.join("docs"));
        folders.push(folder);
    }
    let entries = folders
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok());
    let paths = entries.flatten().map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    pages
}

/// The blocks of a document, in their order.
pub fn blocks(document: &Path) -> Vec<Block> {
    let mut found = Vec::new();
    let mut section = String::new();
    let mut open: Option<Block> = None;
    for line in fs::read_to_string(document).unwrap().lines() {
        match (&mut open, line.trim_start().strip_prefix("```")) {
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(block), None) => block.text.push_str(&format!("{line}\n")),
            (None, Some(language)) => {
                open = Some(Block {
                    document: document.to_owned(),
                    section: section.clone(),
                    language: language.to_owned(),
                    text: String::new(),
                });
            }
            (None, None) if line.starts_with('#') => {
                section = line.trim_start_matches('#').trim().to_owned();
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{}: a block has no end", document.display());
    found
}

/// Languages whose blocks another test reads from the page.
const CHECKED_ELSEWHERE: [(&str, &str); 11] = [
    ("", "a tree of folders"),
    ("rust", "examples/shelf is what the guides show"),
    (
        "rust,ignore",
        "a line that a reader adds to a file of the project",
    ),
    ("toml", "examples/shelf is what the guides show"),
    (
        "hcl",
        "the rules of graph-runs are asked about each example",
    ),
    ("nginx", "clients::proxies starts it"),
    ("caddy", "clients::proxies starts it"),
    ("ini", "clients::team starts a server with it"),
    ("ts", "clients::graphql_codegen compiles it"),
    ("js", "clients::normalised_caches uses it"),
    ("text", "output, which the walks compare"),
];

/// Programs of shell blocks that do not run here.
const NOT_RUN: [(&str, &str); 14] = [
    ("cargo", "builds the project"),
    ("checkov", "is not a part of the project"),
    (
        "docker",
        "needs Docker; clients::image builds the image without it",
    ),
    ("install", "clients::team runs it"),
    ("just", "its recipes are those of CI"),
    ("nginx", "clients::proxies starts it"),
    ("npm", "loads packages from the internet"),
    ("npx", "clients::graphql_codegen runs it"),
    ("sam", "deploys to AWS"),
    ("runuser", "clients::team runs what follows it"),
    ("systemctl", "clients::team does what systemd would do"),
    ("terraform", "needs a provider"),
    ("useradd", "changes the machine"),
    ("valgrind", "counts for minutes"),
];

/// Programs that the shell has, or that a walk runs.
const KNOWN: [&str; 17] = [
    "trestle", "cp", "curl", "export", "grep", "sed", "wc", "for", "mkdir", "tar", "rm", "ask",
    "id", "user", "status", "run", "umask",
];

#[test]
fn every_block_is_run_or_parsed_or_named() {
    let mut count = 0;
    for block in pages().iter().flat_map(|page| blocks(page)) {
        count += 1;
        match &*block.language {
            "sh" => is_shell(&block),
            "graphql" => is_graphql(&block),
            "json" => {
                let parsed: Result<Value, _> = serde_json::from_str(&block.text);
                parsed.unwrap_or_else(|error| panic!("{error}: {}", block.place()));
            }
            "yaml" => {
                let parsed: Result<Value, _> = serde_yaml_ng::from_str(&block.text);
                parsed.unwrap_or_else(|error| panic!("{error}: {}", block.place()));
            }
            "csv" => {
                let columns: BTreeSet<_> = block
                    .text
                    .lines()
                    .map(|line| line.matches(',').count())
                    .collect();
                assert_eq!(columns.len(), 1, "{}", block.place());
            }
            other => assert!(
                CHECKED_ELSEWHERE
                    .iter()
                    .any(|(language, _)| *language == other),
                "nothing checks a block in {other:?}: {}",
                block.place()
            ),
        }
    }
    assert!(count > 80, "{count} blocks");
}

/// The shell reads the block, and each line begins with a program that is known.
fn is_shell(block: &Block) {
    let read = Command::new("sh")
        .args(["-n", "-c", &block.text])
        .output()
        .unwrap();
    assert!(read.status.success(), "{}", block.place());
    let text = block.text.replace("\\\n", " ");
    // A quoted argument may have more than one line.
    let starts = text
        .lines()
        .filter(|line| !line.starts_with([' ', '#', '"']) && !line.is_empty());
    for line in starts {
        let word = line.split([' ', '=', '(']).next().unwrap_or_default();
        let is_variable = word
            .chars()
            .all(|letter| letter.is_ascii_uppercase() || letter == '_');
        let is_named = KNOWN.contains(&word) || NOT_RUN.iter().any(|(name, _)| *name == word);
        assert!(is_variable || is_named, "{word:?}: {}", block.place());
        if word == "just" {
            let recipe = line.split_whitespace().nth(1).unwrap_or_default();
            let justfile = fs::read_to_string(root().join("justfile")).unwrap();
            let has = justfile
                .lines()
                .any(|line| line.split([' ', ':']).next() == Some(recipe));
            assert!(has, "the justfile has no {recipe}: {}", block.place());
        }
    }
}

/// The schema of the service that a page is about.
fn schema(block: &Block) -> String {
    let name = block.document.file_stem().unwrap_or_default();
    let of_crate = block.document.components().nth_back(1);
    let own = [Some(name), of_crate.as_ref().map(|part| part.as_os_str())];
    let own = own
        .into_iter()
        .flatten()
        .map(|name| root().join("schemas").join(name).with_extension("graphql"));
    let path = own.into_iter().find(|path| path.exists());
    fs::read_to_string(path.unwrap_or_else(|| root().join("schema.graphql"))).unwrap()
}

/// An operation is valid in the schema of its service; a part of a schema is well-formed.
fn is_graphql(block: &Block) {
    let first = block.text.split_whitespace().next().unwrap_or_default();
    if first == "type" {
        let parsed = apollo_compiler::ast::Document::parse(&block.text, "block.graphql");
        parsed.unwrap_or_else(|errors| panic!("{errors}: {}", block.place()));
        return;
    }
    let schema = Schema::parse_and_validate(schema(block), "schema.graphql").unwrap();
    let parsed = ExecutableDocument::parse_and_validate(&schema, &block.text, "block.graphql");
    parsed.unwrap_or_else(|errors| panic!("{errors}: {}", block.place()));
}

/// What a page shows as the answer to the block before.
fn answers() -> Vec<(Block, Block)> {
    let mut pairs = Vec::new();
    for page in pages() {
        // graph_runs::guide runs it with an archive.
        if page.ends_with("graph-runs.md") {
            continue;
        }
        let mut before: Option<Block> = None;
        for block in blocks(&page) {
            let asked = before.take_if(|before| {
                ["sh", "graphql"].contains(&&*before.language) && block.language == "json"
            });
            match asked {
                Some(asked) => pairs.push((asked, block)),
                None => before = Some(block),
            }
        }
    }
    pairs
}

/// Waits for nothing: the commands are those of the page, at the port of this server, without the one that starts it.
fn ask_by_shell(server: &Process, asked: &Block) -> Value {
    let lines = asked.text.lines().filter(|line| line.starts_with("curl"));
    let script = lines.collect::<Vec<_>>().join("\necho\n");
    let script = script.replace("http://127.0.0.1:8000/graphql", &server.url);
    let folder = Folder::new();
    let output = shell(&folder.path(""), &script).output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let last = output.trim_end().lines().last().unwrap_or_default();
    serde_json::from_str(last)
        .unwrap_or_else(|error| panic!("{error}: {output}\n{}", asked.place()))
}

#[tokio::test]
async fn answers_are_those_of_the_server() {
    let pairs = answers();
    assert!(pairs.len() >= 4, "the documents show answers");
    for (asked, shown) in pairs {
        let server = Process::start(&["--expose-cost", "--log", "off"]).await;
        let answer = if asked.language == "sh" {
            ask_by_shell(&server, &asked)
        } else {
            let create = "mutation { createApplication(input: { companyName: \"Visa\", positionTitle: \"Engineer\", status: APPLIED }) { \
                          application { id } } }";
            let created = server.query(create).await.body();
            let id = created["data"]["createApplication"]["application"]["id"].clone();
            let query = asked.text.replace("\"ID\"", &id.to_string());
            server.post(&json!({ "query": query }), &[]).await.body()
        };
        let shown: Value = serde_json::from_str(&shown.text).unwrap();
        assert_eq!(answer, shown, "{}", asked.place());
    }
}

/// A section whose commands are run in their order, in an empty folder with `jobs.csv` and after these commands.
struct Walk {
    document: &'static str,
    section: &'static str,
    before: &'static str,
}

const WALKS: [Walk; 10] = [
    Walk {
        document: "docs/import-and-export.md",
        section: "Importing your own list",
        before: "",
    },
    Walk {
        document: "docs/import-and-export.md",
        section: "Exporting",
        before: "trestle import jobs.csv",
    },
    Walk {
        document: "docs/import-and-export.md",
        section: "Owners",
        before: "",
    },
    Walk {
        document: "docs/operating.md",
        section: "Whose applications",
        before: "trestle import jobs.csv --owner 'auth0|65a5f0c2'",
    },
    Walk {
        document: "docs/operating.md",
        section: "Moving to a table with owners",
        before: "trestle import jobs.csv",
    },
    Walk {
        document: "docs/operating.md",
        section: "On DynamoDB",
        before: "",
    },
    Walk {
        document: "docs/operating.md",
        section: "Backup",
        before: "trestle import jobs.csv",
    },
    Walk {
        document: "docs/operating.md",
        section: "Times in the future",
        before: "trestle import jobs.csv",
    },
    Walk {
        document: "docs/upgrading.md",
        section: "Before an upgrade",
        before: "trestle import jobs.csv",
    },
    Walk {
        document: "docs/upgrading.md",
        section: "Going back",
        before: "trestle import jobs.csv; trestle store backup before-upgrade.tar",
    },
];

/// Commands of the walks that are not run, and why.
const NOT_WALKED: [(&str, &str); 6] = [
    (
        "trestle serve",
        "every_server_of_the_documents_starts starts it",
    ),
    (
        "trestle table unmark",
        "is refused as the page says, because an owner has applications",
    ),
    ("trestle table create --aws", "needs AWS"),
    (
        "docker",
        "needs Docker; commands::streamed pipes the same commands",
    ),
    ("just", "builds"),
    ("sam", "deploys"),
];

#[test]
fn commands_run_in_the_order_of_the_page() {
    let list = pages()
        .iter()
        .flat_map(|page| blocks(page))
        .find(|block| block.language == "csv")
        .unwrap();
    for Walk {
        document,
        section,
        before,
    } in WALKS
    {
        let folder = Folder::new();
        fs::write(folder.path("jobs.csv"), &list.text).unwrap();
        let own = blocks(&root().join(document));
        let own: Vec<_> = own
            .iter()
            .filter(|block| block.is_of(document, section))
            .collect();
        assert!(
            own.iter().any(|block| block.language == "sh"),
            "{document} has no commands in {section}"
        );
        let mut output = String::new();
        let seed = Block {
            document: document.into(),
            section: section.to_owned(),
            language: "sh".to_owned(),
            text: format!("{}\n", before.replace("; ", "\n")),
        };
        for block in std::iter::once(&seed).chain(own) {
            match &*block.language {
                "sh" => output = walk(&folder, block),
                // The order of two streams is not known.
                "text" => {
                    let shown: BTreeSet<_> = block.text.lines().collect();
                    assert_eq!(
                        output.lines().collect::<BTreeSet<_>>(),
                        shown,
                        "{}",
                        block.place()
                    );
                }
                _ => {}
            }
        }
    }
}

/// What the last command of a block printed. An import with refused rows ends with 2.
fn walk(folder: &Folder, block: &Block) -> String {
    let text = block.text.replace("cargo run --release -- ", "trestle ");
    let text = text.replace("\\\n", " ");
    let mut printed = String::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if NOT_WALKED
            .iter()
            .any(|(command, _)| line.starts_with(command))
        {
            continue;
        }
        let script = line.replace("trestle ", "trestle! ");
        let ended = shell(&folder.path(""), &script).output().unwrap();
        printed = [ended.stdout, ended.stderr]
            .concat()
            .into_iter()
            .map(char::from)
            .collect();
        let may_refuse = line.contains("trestle import") && ended.status.code() == Some(2);
        assert!(
            ended.status.success() || may_refuse,
            "{line}\n{printed}\n{}",
            block.place()
        );
    }
    printed
}

/// Links of the documents lead to files, and to headings that are there.
#[test]
fn links_lead_somewhere() {
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1) {
            let link = link.split([')', ' ']).next().unwrap_or_default();
            if link.starts_with("http") || link.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = link
                .split_once('#')
                .map_or((link, None), |(file, anchor)| (file, Some(anchor)));
            let mut target = page.clone();
            if !file.is_empty() {
                target = page.parent().unwrap().join(file.trim_end_matches('\n'));
            }
            assert!(target.exists(), "{}: {link}", page.display());
            let Some(anchor) = anchor else {
                continue;
            };
            let there = fs::read_to_string(&target).unwrap();
            let headings = there.lines().filter(|line| line.starts_with('#'));
            let mut slugs = headings.map(|line| slug(line.trim_start_matches('#').trim()));
            assert!(
                slugs.any(|slug| slug == anchor),
                "{}: {link}",
                page.display()
            );
        }
    }
}

/// The anchor that GitHub gives to a heading.
fn slug(heading: &str) -> String {
    let lower = heading.to_lowercase();
    let kept = lower
        .chars()
        .filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter));
    kept.map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}
