//! The documentation as pages, for browsers: rendered once, without scripts, with links among each other.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

use super::doc_files;

const STYLE: &str = "body { font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem 4rem; \
     color-scheme: light dark } code { font-size: 0.92em } pre { overflow-x: auto; padding: 0.8rem 1rem; border-radius: 6px; \
     background: color-mix(in srgb, currentColor 8%, transparent) } table { border-collapse: collapse; display: block; \
     overflow-x: auto } th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.8rem 0.35rem 0; border-bottom: 1px solid \
     color-mix(in srgb, currentColor 20%, transparent) } h2 { margin-top: 2.2rem } nav { font-size: 0.92em }";

/// All pages, by the names of their files.
static PAGES: LazyLock<BTreeMap<&str, String>> = LazyLock::new(|| {
    let files = doc_files::FILES.iter().copied();
    files.map(|(name, text)| (name, page(text))).collect()
});

/// The page of a file.
pub(super) fn of(name: &str) -> Option<&'static str> {
    PAGES.get(name).map(String::as_str)
}

fn page(markdown: &str) -> String {
    let title = markdown.lines().next().unwrap_or_default();
    let title = title.trim_start_matches(['#', ' ']);
    let mut body = String::new();
    html::push_html(&mut body, linked(markdown).into_iter());
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><meta \
         name=\"color-scheme\" content=\"light dark\"><title>{title} - Trestle</title><style>{STYLE}</style><nav><a \
         href=\"/\">Trestle</a> / <a href=\"/docs/\">Documentation</a></nav><main>{body}</main></html>"
    )
}

/// The parts of a document, with an anchor for each heading and without what is only in the repository.
fn linked(markdown: &str) -> Vec<Event<'_>> {
    let mut events = Vec::new();
    // The heading that is open, and its text.
    let mut heading: Option<(usize, String)> = None;
    // Whether each link that is open is kept.
    let mut links = Vec::new();
    let mut images: u32 = 0;
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match &event {
            Event::Start(Tag::Image { .. }) => images += 1,
            Event::Start(Tag::Heading { .. }) => heading = Some((events.len(), String::new())),
            Event::Start(Tag::Link { dest_url, .. }) => links.push(leads_somewhere(dest_url)),
            Event::Text(text) | Event::Code(text) => {
                if let Some((_, title)) = &mut heading {
                    title.push_str(text);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some((at, title)) = heading.take()
                    && let Some(Event::Start(Tag::Heading { id, .. })) = events.get_mut(at)
                {
                    *id = Some(CowStr::from(slug(&title)));
                }
            }
            _ => {}
        }
        let is_of_link = match &event {
            Event::Start(Tag::Link { .. }) => links.last().copied(),
            Event::End(TagEnd::Link) => links.pop(),
            _ => None,
        };
        if images == 0 && is_of_link != Some(false) {
            events.push(event);
        } else if matches!(event, Event::End(TagEnd::Image)) {
            images = images.saturating_sub(1);
        }
    }
    events
}

/// Whether a link works outside of the repository.
fn leads_somewhere(link: &str) -> bool {
    let file = link.split('#').next().unwrap_or_default();
    link.starts_with("http")
        || file.is_empty()
        || doc_files::FILES.iter().any(|(name, _)| *name == file)
}

/// The anchor that GitHub gives to a heading, so that links work in both places.
fn slug(heading: &str) -> String {
    let lower = heading.to_lowercase();
    let kept = lower
        .chars()
        .filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter));
    kept.map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}
