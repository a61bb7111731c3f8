//! `trestle graph draw`: the graph for Graphviz and Mermaid, grouped and folded.

use std::collections::BTreeSet;

use proptest::prelude::*;
use trestle_terraform::drawing::{Arrow, Drawing, Look, Vertex, plain};

use crate::analyze::graph;

fn draw(text: &str, options: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("main.tf"), text).unwrap();
    let (code, text) = graph("draw", folder.path(), options);
    assert_eq!(code, Some(0), "{text}");
    text
}

/// A word of the language of Graphviz.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Word {
    Quoted(String),
    /// Anything else: a name, or a sign.
    Bare(String),
}

/// The words of a text, as the scanner of Graphviz reads them.
fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '"' {
            let mut inside = String::new();
            loop {
                match rest.next().expect("a quoted name has an end") {
                    '"' => break,
                    '\\' if rest.peek() == Some(&'"') => inside.extend(rest.next()),
                    // Two are kept as two: labels read them as one.
                    '\\' if rest.peek() == Some(&'\\') => {
                        inside.push('\\');
                        inside.extend(rest.next());
                    }
                    c => inside.push(c),
                }
            }
            words.push(Word::Quoted(inside));
        } else if c == '-' {
            assert_eq!(rest.next(), Some('>'), "an arrow");
            words.push(Word::Bare("->".to_owned()));
        } else if c.is_ascii_alphanumeric() {
            let mut name = String::from(c);
            while let Some(c) = rest.next_if(|c| c.is_ascii_alphanumeric()) {
                name.push(c);
            }
            words.push(Word::Bare(name));
        } else if !c.is_whitespace() {
            assert!(
                "{}[];=,".contains(c),
                "{c:?} has no place outside of quotes"
            );
            words.push(Word::Bare(c.to_string()));
        }
    }
    words
}

/// A graph as Graphviz understands it.
#[derive(Debug, Default)]
struct Dot {
    /// The labels of the nodes as they are shown, each with the labels of the groups around it.
    nodes: Vec<(Vec<String>, String)>,
    arrows: Vec<(String, String)>,
}

impl Dot {
    fn of(text: &str) -> Self {
        let words = words(text);
        let mut dot = Self::default();
        let start = ["digraph", "{"].map(|word| Word::Bare(word.to_owned()));
        assert_eq!(words[..2], start);
        let mut groups = Vec::new();
        let mut at = 2;
        while at < words.len() {
            at += dot.statement(&words[at..], &mut groups);
        }
        assert_eq!(groups.len(), 0, "groups have ends");
        dot
    }

    /// Reads a statement, and answers how many words it has.
    fn statement(&mut self, words: &[Word], groups: &mut Vec<String>) -> usize {
        let end = words.iter().position(|word| {
            [
                Word::Bare(";".to_owned()),
                Word::Bare("{".to_owned()),
                Word::Bare("}".to_owned()),
            ]
            .contains(word)
        });
        let end = end.expect("a statement has an end");
        match (&words[..end], &words[end]) {
            ([], Word::Bare(sign)) if sign == "}" => drop(groups.pop()),
            ([Word::Bare(word), Word::Quoted(name)], Word::Bare(sign))
                if word == "subgraph" && sign == "{" =>
            {
                assert!(name.starts_with("cluster_"), "{name}");
                groups.push(String::new());
            }
            ([Word::Bare(name), Word::Bare(sign), Word::Quoted(label)], _)
                if name == "label" && sign == "=" =>
            {
                *groups.last_mut().unwrap() = shown(label);
            }
            ([Word::Bare(_), Word::Bare(sign), Word::Bare(_)], _) if sign == "=" => {}
            ([Word::Bare(word), ..], _) if word == "node" => {}
            ([Word::Quoted(from), Word::Bare(arrow), Word::Quoted(to), ..], _) if arrow == "->" => {
                self.arrows.push((from.clone(), to.clone()));
            }
            (
                [
                    Word::Quoted(name),
                    Word::Bare(open),
                    Word::Bare(first),
                    Word::Bare(_),
                    Word::Quoted(value),
                    ..,
                ],
                _,
            ) if open == "[" => {
                let label = if first == "label" { value } else { name };
                self.nodes.push((groups.clone(), shown(label)));
            }
            (other, _) => panic!("{other:?} is no statement"),
        }
        end + 1
    }
}

/// What Graphviz shows of a label.
fn shown(label: &str) -> String {
    let mut shown = String::new();
    let mut rest = label.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => shown.push(rest.next().filter(|c| *c == '\\').expect("no other escape")),
            c => shown.push(c),
        }
    }
    let shown = shown.replace("&amp;", "\u{1}");
    assert!(!shown.contains('&'), "{shown:?} has an entity");
    shown.replace('\u{1}', "&")
}

/// The labels of the nodes of Mermaid as they are shown.
fn mermaid_labels(text: &str) -> Vec<String> {
    let mut labels = Vec::new();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("flowchart LR"));
    for line in lines.map(str::trim_start) {
        let is_end = line == "end" || line.starts_with("classDef ");
        let arrow = line.split(' ').collect::<Vec<_>>();
        if is_end
            || matches!(arrow.as_slice(), [from, "-->" | "-.->", to] if is_name(from) && is_name(to))
        {
            continue;
        }
        let group = line.strip_prefix("subgraph ");
        let (name, rest) = group.unwrap_or(line).split_once("[\"").expect("a label");
        assert!(is_name(name), "{line}");
        let (label, after) = rest.split_once('"').expect("the end of a label");
        match group {
            Some(_) => assert_eq!(after, "]"),
            None => {
                let look = after.strip_prefix("]:::").expect("a look");
                assert!(Look::ALL.iter().any(|one| one.word() == look), "{line}");
                labels.push(decoded(label));
            }
        }
    }
    labels
}

fn is_name(text: &str) -> bool {
    let digits = text.get(1..).unwrap_or_default();
    text.starts_with(['n', 'g'])
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A label without its codes.
fn decoded(label: &str) -> String {
    assert!(
        !label.contains(['&', '<', '`', '\\', '%', '$', '*', ':']),
        "{label}"
    );
    let mut shown = String::new();
    let mut rest = label;
    while let Some((before, after)) = rest.split_once('#') {
        let (code, after) = after.split_once(';').expect("the end of a code");
        shown.push_str(before);
        shown.push(match code {
            "quot" => '"',
            "amp" => '&',
            "lt" => '<',
            number => number
                .parse()
                .ok()
                .and_then(char::from_u32)
                .expect("a code"),
        });
        rest = after;
    }
    shown + rest
}

/// A name of the wild: any text, and often one with the signs of both languages.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        r#"[a"\\&<>%{}\[\];#`$:*|=\n\r\t/-]{0,12}"#,
        Just("end".to_owned()),
        Just("\\".to_owned()),
        Just("&lt;&amp;#quot;".to_owned()),
        Just("%%{init: {}}%%".to_owned()),
    ]
}

proptest! {
    #[test]
    fn any_text_is_a_name_in_both_languages(
        names in prop::collection::vec((name(), name()), 1..12),
        ends in prop::collection::vec((0_usize..12, 0_usize..12), 0..20),
        most in 1_usize..14,
    ) {
        let vertices: Vec<_> = names.iter().enumerate().map(|(at, (id, type_name))| Vertex {
            id,
            root: "",
            type_name,
            look: Look::ALL[at % 4],
        }).collect();
        let arrows: Vec<_> = ends.iter().filter(|(from, to)| *from < names.len() && *to < names.len())
            .map(|(from, to)| Arrow { from: *from, to: *to, is_dashed: false }).collect();
        let whole = Drawing::of(&vertices, &arrows, names.len());
        let dot = Dot::of(&whole.dot());
        let unique: BTreeSet<_> = names.iter().map(|(id, _)| plain(id)).collect();
        let wanted: BTreeSet<_> = names.iter().map(|(id, _)| plain(id)).collect();
        prop_assert_eq!(dot.nodes.len(), names.len());
        let labels: BTreeSet<_> = dot.nodes.iter().map(|(_, label)| label.clone()).collect();
        prop_assert_eq!(labels, wanted);
        let pairs: BTreeSet<_> = arrows.iter().collect();
        prop_assert_eq!(dot.arrows.len(), pairs.len());
        let mermaid = mermaid_labels(&whole.mermaid());
        prop_assert_eq!(mermaid.len(), names.len());
        prop_assert_eq!(mermaid.into_iter().collect::<BTreeSet<_>>(), unique);
        // Folded, it is still in the language.
        let folded = Drawing::of(&vertices, &arrows, most);
        let nodes = Dot::of(&folded.dot()).nodes.len();
        prop_assert!(nodes <= most.max(4), "{nodes} nodes");
        prop_assert_eq!(mermaid_labels(&folded.mermaid()).len(), nodes);
    }
}

const SHOP: &str = r#"
resource "aws_vpc" "main" {}
resource "aws_subnet" "a" { vpc_id = aws_vpc.main.id }
resource "aws_lb" "web" { subnets = [aws_subnet.a.id] }
resource "aws_lb_target_group" "web" { vpc_id = aws_vpc.main.id }
resource "aws_lb_listener" "web" {
  load_balancer_arn = aws_lb.web.arn
  default_action { target_group_arn = aws_lb_target_group.web.arn }
}
resource "aws_iam_role" "unused" {}
resource "aws_sqs_queue" "alone" {}
module "data" { source = "registry.example.com/a/b/aws" }
"#;

#[test]
fn a_drawing_of_the_exposed_has_the_ways_from_the_internet_and_what_is_not_known() {
    let dot = Dot::of(&draw(SHOP, &["--only-exposed"]));
    let labels: BTreeSet<_> = dot.nodes.iter().map(|(_, label)| label.as_str()).collect();
    let expected = [
        "aws_lb.web",
        "aws_lb_listener.web",
        "aws_lb_target_group.web",
        "internet",
        "module.data",
    ];
    assert_eq!(labels, BTreeSet::from(expected), "{dot:#?}");
    for (from, to) in [
        ("internet", "aws_lb.web"),
        ("aws_lb.web", "aws_lb_listener.web"),
        ("aws_lb_listener.web", "aws_lb_target_group.web"),
        ("internet", "module.data"),
    ] {
        let arrow = (from.to_owned(), to.to_owned());
        assert!(dot.arrows.contains(&arrow), "{arrow:?} {dot:#?}");
    }
    let text = draw(SHOP, &["--only-exposed"]);
    assert!(
        text.contains("\"internet\" -> \"module.data\" [style=dashed];"),
        "{text}"
    );
}

#[test]
fn nodes_are_grouped_by_module_and_network() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("net")).unwrap();
    let inner = "resource \"aws_vpc\" \"v\" {}\nresource \"aws_subnet\" \"s\" { vpc_id = aws_vpc.v.id }\noutput \"id\" { value = aws_subnet.s.id }\nresource \"aws_eip\" \"e\" {}\n";
    std::fs::write(folder.path().join("net/main.tf"), inner).unwrap();
    let outer = "module \"net\" {\n  source = \"./net\"\n}\nresource \"aws_instance\" \"a\" { subnet_id = module.net.id }\nresource \"aws_instance\" \"b\" { subnet_id = module.net.id }\nresource \"aws_sqs_queue\" \"q\" {}\n";
    std::fs::write(folder.path().join("main.tf"), outer).unwrap();
    let (_, text) = graph("draw", folder.path(), &[]);
    let dot = Dot::of(&text);
    let groups = |label: &str| {
        let mut nodes = dot.nodes.iter();
        let found = nodes.find(|(_, one)| one == label);
        found
            .unwrap_or_else(|| panic!("{label}: {text}"))
            .0
            .join(" > ")
    };
    let network = "network module.net.aws_vpc.v";
    assert_eq!(groups("aws_instance.a"), network);
    assert_eq!(groups("aws_instance.b"), network);
    assert_eq!(
        groups("module.net.aws_subnet.s"),
        format!("module.net > {network}")
    );
    assert_eq!(groups("module.net.aws_eip.e"), "module.net");
    assert_eq!(groups("aws_sqs_queue.q"), "");
}

#[test]
fn a_large_graph_is_folded_and_what_is_exposed_stays() {
    let mut text = SHOP.to_owned();
    for at in 0..130 {
        let kind = [
            "aws_iam_role",
            "aws_ssm_parameter",
            "aws_cloudwatch_log_group",
        ][at % 3];
        text.push_str(&format!("resource \"{kind}\" \"r{at}\" {{}}\n"));
    }
    let dot = Dot::of(&draw(&text, &[]));
    assert!(dot.nodes.len() <= 60, "{}", dot.nodes.len());
    let labels: BTreeSet<_> = dot.nodes.iter().map(|(_, label)| label.as_str()).collect();
    for label in ["aws_lb.web", "module.data", "aws_iam_role (45)"] {
        assert!(labels.contains(label), "{labels:#?}");
    }
    let whole = Dot::of(&draw(&text, &["--fold-above", "1000"]));
    assert_eq!(whole.nodes.len(), 138);
    let few = Dot::of(&draw(&text, &["--fold-above", "1"]));
    assert!(few.nodes.len() <= 4, "{few:#?}");
}

#[test]
fn what_is_not_read_is_in_the_drawing() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("a/main.tf", "resource \"aws_sqs_queue\" \"q\" {}\n"),
        ("b/main.tf", "resource {\n"),
    ] {
        std::fs::create_dir(folder.path().join(name.split('/').next().unwrap())).unwrap();
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    for options in [&["--only-exposed"][..], &["--format", "mermaid"], &[]] {
        let (code, text) = graph("draw", folder.path(), options);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains("1 file or root module not read"), "{text}");
    }
}
