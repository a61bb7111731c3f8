//! The files of the pages as the binary serves them, and when it does not. Knows no browser.

use std::fs;

use libtest_mimic::Trial;

use crate::bundle::{Bundle, get, on};
use crate::pages::trial;
use crate::prerequisites::Need;
use crate::process::{Process, command, ended};

const PAGES: [(&str, Bundle); 2] = [
    (
        "shareables",
        Bundle {
            folder: "examples/shareables",
            path: "/shareables/",
            flags: &["--service", "shareables"],
        },
    ),
    (
        "graph-runs",
        Bundle {
            folder: "examples/graph-runs",
            path: "/graph-runs/",
            flags: &["--service", "graph-runs"],
        },
    ),
];

/// The most that the first view of a page may take, compressed, in bytes.
const FIRST_LOAD: usize = 130_000;

/// The page of a service.
pub fn page(service: &str) -> Bundle {
    let found = PAGES.iter().find(|(name, _)| *name == service);
    found.expect("the service has a page").1
}

pub fn trials() -> Vec<Trial> {
    let all = [Need::Pages];
    vec![
        trial("pages_are_under_their_policies", &all, || {
            on(async {
                for (_, page) in PAGES {
                    page.the_page().await;
                }
            })
        }),
        trial("files_are_cached_for_good_and_compressed", &all, || {
            on(async {
                for (_, page) in PAGES {
                    page.the_files().await;
                }
            })
        }),
        trial("first_views_are_small", &all, || {
            for (_, page) in PAGES {
                page.the_size(FIRST_LOAD);
            }
            Ok(())
        }),
        trial("nothing_else_is_served", &all, || {
            on(async {
                for (_, page) in PAGES {
                    page.nothing_else().await;
                }
            })
        }),
        trial("the_address_of_the_server_names_them", &all, || {
            on(address())
        }),
        trial("they_are_there_unless_they_are_left_out", &all, || {
            on(served())
        }),
    ]
}

/// The page at `/` as a browser gets it.
async fn index(flags: &[&str]) -> String {
    let server = Process::start(flags).await;
    let request = server
        .client
        .get(server.at("/"))
        .header("accept", "text/html");
    request.send().await.unwrap().text().await.unwrap()
}

/// Whoever follows a link from one of the files to another one finds it.
async fn files_lead_to_each_other(server: &Process) {
    let mut found = vec!["front-end.md".to_owned(), "operating.md".to_owned()];
    let mut at = 0;
    while let Some(name) = found.get(at).cloned() {
        at += 1;
        let file = get(server, &format!("/docs/{name}")).await;
        assert_eq!(file.status, 200, "{name}");
        let text = String::from_utf8(file.bytes).unwrap();
        for link in text.split("](").skip(1) {
            let (link, _) = link.split_once([')', '#']).unwrap();
            // Those with a slash are of the repository, or elsewhere.
            let is_beside = link.ends_with(".md") && !link.contains('/');
            if is_beside && !found.iter().any(|known| known == link) {
                found.push(link.to_owned());
            }
        }
    }
    assert!(found.contains(&"upgrading.md".to_owned()), "{found:?}");
}

async fn address() {
    let services = "applications,shareables,graph-runs";
    let page = index(&["--service", services]).await;
    for link in [
        "/graphql",
        "/shareables/graphql",
        "/shareables/",
        "/shareables/schema.graphql",
        "/graph-runs/",
        "/docs/applications.md",
        "/docs/shareables.md",
        "/docs/graph-runs.md",
        "/docs/operating.md",
        "/livez",
    ] {
        assert!(page.contains(&format!("href=\"{link}\"")), "{link}: {page}");
    }
    let server = Process::start(&["--service", services]).await;
    let text = get(&server, "/").await;
    assert_eq!(text.status, 200);
    let text = String::from_utf8(text.bytes).unwrap();
    for path in [
        "applications: /graphql\n",
        "shareables: /shareables/graphql\n",
        ": /shareables/\n",
        ": /shareables/schema.graphql\n",
        ": /graph-runs/schema.graphql\n",
        "  docs: /docs/graph-runs.md\n",
    ] {
        assert!(text.contains(path), "{path}: {text}");
    }
    let docs = get(&server, "/docs/shareables.md").await;
    assert_eq!(docs.header("content-type"), "text/plain; charset=utf-8");
    let stored = include_str!("../../docs/shareables.md");
    assert_eq!(String::from_utf8(docs.bytes).unwrap(), stored);
    for other in ["/docs/none.md", "/docs/..%2fREADME.md"] {
        assert_eq!(get(&server, other).await.status, 404, "{other}");
    }
    files_lead_to_each_other(&server).await;
    // Only the page of a service that runs.
    let page = index(&["--service", "shareables,collab-hub"]).await;
    assert!(page.contains("href=\"/shareables/\""), "{page}");
    assert!(!page.contains("/graph-runs/"), "{page}");
    let server = Process::start(&["--service", "shareables"]).await;
    let schema = get(&server, "/shareables/schema.graphql").await;
    let stored = include_str!("../../schemas/shareables.graphql");
    assert_eq!(String::from_utf8(schema.bytes).unwrap(), stored);
    // Who may not query the schema does not read it.
    let server = Process::start(&["--service", "shareables", "--introspection", "off"]).await;
    let schema = get(&server, "/shareables/schema.graphql").await;
    assert_eq!(schema.status, 404);
}

async fn served() {
    let plain = Process::start(&["--service", "shareables,graph-runs", "--no-pages"]).await;
    for path in [
        "/shareables/",
        "/shareables",
        "/graph-runs/",
        "/graph-runs/icon.svg",
        "/graph-runs/worker.js",
    ] {
        assert_eq!(get(&plain, path).await.status, 404, "{path}");
    }
    let server = Process::start(&["--service", "shareables"]).await;
    assert_eq!(get(&server, "/shareables/").await.status, 200);
    assert_eq!(get(&server, "/graph-runs/").await.status, 404);
    let manifest = get(&server, "/shareables/manifest.json").await;
    assert_eq!(manifest.status, 200);
    assert!(
        manifest
            .header("content-type")
            .starts_with("application/json")
    );
    let worker = get(&server, "/shareables/worker.js").await;
    assert_eq!(worker.status, 200);
    assert_eq!(
        worker.header("content-type"),
        "text/javascript; charset=utf-8"
    );
    // A new release replaces it with the next look.
    assert_eq!(worker.header("cache-control"), "no-cache");
    // The files are public, and what they show is not.
    let file = tempfile::NamedTempFile::new().unwrap();
    let key = ended(command(&["api-key", "someone"])).await;
    fs::write(file.path(), key.output).unwrap();
    let keys = file.path().to_str().unwrap();
    let flags = ["--service", "graph-runs", "--api-keys", keys];
    let locked = Process::start(&flags).await;
    assert_eq!(get(&locked, "/graph-runs/").await.status, 200);
    assert_eq!(get(&locked, "/graph-runs/schema.graphql").await.status, 404);
    assert_eq!(locked.query("{ latestRun { runId } }").await.status, 401);
}
