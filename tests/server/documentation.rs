//! The documentation that the server shows to browsers: every page, and every link between two of them.

use std::collections::BTreeMap;

use reqwest::header::{ACCEPT, CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY};

use crate::process::Process;

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// A page as a browser gets it.
async fn page(server: &Process, path: &str) -> String {
    let request = server.client.get(server.at(path)).header(ACCEPT, BROWSER);
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200, "{path}");
    let headers = answer.headers();
    assert_eq!(headers[CONTENT_TYPE], "text/html; charset=utf-8", "{path}");
    assert!(headers[VARY].to_str().unwrap().contains("accept"), "{path}");
    let policy = headers[CONTENT_SECURITY_POLICY].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
    answer.text().await.unwrap()
}

/// What stands between two marks, each time.
fn between<'a>(text: &'a str, begin: &str, end: &str) -> Vec<&'a str> {
    let parts = text.split(begin).skip(1);
    parts
        .filter_map(|part| Some(part.split_once(end)?.0))
        .collect()
}

#[tokio::test]
async fn every_page_of_the_documentation_links_to_what_is_there() {
    let server = Process::start(&["--log", "off"]).await;
    let mut pages = BTreeMap::new();
    let mut wanted = vec!["/docs/".to_owned()];
    let mut links = Vec::new();
    while let Some(path) = wanted.pop() {
        if pages.contains_key(&path) {
            continue;
        }
        let text = page(&server, &path).await;
        for link in between(&text, "href=\"", "\"") {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            if link.starts_with("http") || file.starts_with('/') {
                continue;
            }
            let target = match file {
                "" => path.clone(),
                file => format!("/docs/{file}"),
            };
            wanted.push(target.clone());
            links.push((path.clone(), target, anchor.to_owned()));
        }
        pages.insert(path, text);
    }
    for (path, target, anchor) in links {
        let has = anchor.is_empty() || between(&pages[&target], "id=\"", "\"").contains(&&*anchor);
        assert!(has, "{path} links to {target}#{anchor}");
    }
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/docs")).unwrap();
    for file in files {
        let name = file.unwrap().file_name().into_string().unwrap();
        let is_shown = pages.contains_key(&format!("/docs/{name}")) || name == "README.md";
        assert!(
            !name.ends_with(".md") || is_shown,
            "no page leads to {name}"
        );
    }
    let operating = &pages["/docs/operating.md"];
    assert!(
        operating.contains("<h2 id=\"authentication\">"),
        "headings have anchors"
    );
    assert!(operating.contains("<td>"), "tables are tables");
}

#[tokio::test]
async fn programs_read_the_documentation_as_it_is_written() {
    let server = Process::start(&["--log", "off"]).await;
    let text = server.get("/docs/operating.md").await;
    assert_eq!(text.headers[CONTENT_TYPE], "text/plain; charset=utf-8");
    assert_eq!(text.text, include_str!("../../docs/operating.md"));
    assert_eq!(server.get("/docs/none.md").await.status, 404);
}
