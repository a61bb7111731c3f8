//! Terraform's own syntax.

use std::borrow::Cow;
use std::fmt::Display;
use std::sync::Arc;

use hcl::edit::Span as _;
use hcl::edit::structure::Structure as Parsed;
use hcl::expr::Expression;
use hcl::{Block as HclBlock, Structure};

use super::chains::with_groups;
use super::declared::{Block, Body, Configuration, Dynamic, Kind, TOP, Variable};
use super::duplicates::{Begins, with_distinct_keys};
use super::ignores::{Comments, Ignore};
use super::large::with_small_objects;
use super::lines::with_joined_lines;
use super::parts::with_closed_parts;
use crate::text::json_instead;
use crate::unusable::Unusable;

/// What the parser calls a chain of operators that is too long.
const CHAINED: &str = "chained binary operators";

/// Smaller files have no large objects.
const LARGE: usize = 4 * 1024;

/// Adds what a `.tf` file declares.
///
/// # Errors
/// Where and why it is not one.
pub fn read_hcl(into: &mut Configuration, file: &Arc<str>, text: &str) -> Result<(), Unusable> {
    if let Some(reason) = json_instead(text) {
        return Err(Unusable(format!("{file} {reason}.")));
    }
    let (parsed, text) = distinctly(text, hcl::edit::parser::parse_body).map_err(|error| {
        let reason = readable(&error.to_string());
        Unusable(format!("{file} is not Terraform: {reason}"))
    })?;
    let mut lines = Lines::new(&text);
    let mut comments = Comments::of(file, &text);
    for structure in parsed {
        let span = structure.span();
        let ends = span
            .clone()
            .map(|span| (lines.at(span.start), lines.at(span.end)));
        let ignores = match (span, ends) {
            (Some(span), Some(ends)) => comments.take(span, ends),
            _ => Vec::new(),
        };
        match structure {
            Parsed::Attribute(attribute) => {
                let name = attribute.key.as_str();
                return Err(Unusable(format!(
                    "{file} is not Terraform: it sets `{name}` outside of a block."
                )));
            }
            Parsed::Block(block) => into.declare(block.into(), file, ends, ignores)?,
        }
    }
    into.ignores.extend(comments.left());
    Ok(())
}

/// The values in a `.tfvars` file.
///
/// # Errors
/// Where and why it is not one.
pub fn read_values(file: &str, text: &str) -> Result<Vec<(String, Expression)>, Unusable> {
    let read = body(text).map(|body| body.attributes);
    read.map_err(|reason| Unusable(format!("{file} has no variable values: {reason}")))
}

/// The arguments and blocks of a file in the same syntax that is no configuration.
///
/// # Errors
/// Where and why it is not one.
pub fn read_body(file: &str, text: &str) -> Result<Body, Unusable> {
    body(text).map_err(|reason| Unusable(format!("{file} cannot be read: {reason}")))
}

/// The arguments and blocks of a file, or where and why it has none.
fn body(text: &str) -> Result<Body, String> {
    match distinctly(text, hcl::parse) {
        Ok((body, _)) => Ok(body_of(body)),
        Err(error) => Err(readable(&error.to_string())),
    }
}

/// A parser's message on one line: the place and the reason, without the lines of the file, which may have secrets.
fn readable(reason: &str) -> String {
    let lines: Vec<_> = reason.lines().filter(|line| !is_quote(line)).collect();
    let lines: Vec<_> = lines
        .iter()
        .map(|line| line.trim_start_matches([' ', '-', '>', '=']).trim_end())
        .collect();
    let lines = lines.into_iter().filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(": ")
}

/// What `parse` makes of a file, whose objects may have keys twice, and whose operators may make long chains; with the text
/// that it is made of, in which every line is where it was.
fn distinctly<T, E: Display>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, E>,
) -> Result<(T, Cow<'_, str>), E> {
    let (parsed, last) = whole(text, &parse)?;
    Ok((parsed, last.map_or(Cow::Borrowed(text), Cow::Owned)))
}

/// What is parsed, and the text that it was parsed from if that is another one.
type Read<T> = (T, Option<String>);

fn whole<T, E: Display>(text: &str, parse: &impl Fn(&str) -> Result<T, E>) -> Result<Read<T>, E> {
    // If small objects cannot be read, the source is read as it is.
    if text.len() > LARGE
        && let Some(small) = with_small_objects(text)
        && let Ok((parsed, last)) = distinct(&small, parse)
    {
        return Ok((parsed, last.or(Some(small))));
    }
    let error = match distinct(text, parse) {
        Ok(read) => return Ok(read),
        Err(error) => error,
    };
    let rewriters: [fn(&str) -> Option<String>; 2] = [with_closed_parts, with_joined_lines];
    let mut source: Option<String> = None;
    for rewritten in rewriters {
        let Some(next) = rewritten(source.as_deref().unwrap_or(text)) else {
            continue;
        };
        match distinct(&next, parse) {
            Ok((parsed, last)) => return Ok((parsed, last.or(Some(next)))),
            Err(_) => source = Some(next),
        }
    }
    // The first error is about the lines that the file has.
    Err(error)
}

/// The same, with a form of its own for each key that an object repeats.
fn distinct<T, E: Display>(
    text: &str,
    parse: &impl Fn(&str) -> Result<T, E>,
) -> Result<Read<T>, E> {
    let error = match grouped(text, parse) {
        Ok(read) => return Ok(read),
        Err(error) => error,
    };
    let Some(distinct) = with_distinct_keys(text, Begins::WithBlocks) else {
        return Err(error);
    };
    let (parsed, last) = grouped(&distinct, parse)?;
    Ok((parsed, last.or(Some(distinct))))
}

/// The same, with parentheses in chains of operators that the parser refuses because of their length.
fn grouped<T, E: Display>(text: &str, parse: &impl Fn(&str) -> Result<T, E>) -> Result<Read<T>, E> {
    let error = match parse(text) {
        Ok(parsed) => return Ok((parsed, None)),
        Err(error) => error,
    };
    if !error.to_string().contains(CHAINED) {
        return Err(error);
    }
    let Some(grouped) = with_groups(text) else {
        return Err(error);
    };
    Ok((parse(&grouped)?, Some(grouped)))
}

/// Line numbers of growing offsets.
struct Lines<'t> {
    text: &'t [u8],
    offset: usize,
    line: usize,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text: text.as_bytes(),
            offset: 0,
            line: 1,
        }
    }

    /// The line of an offset that is not before the last one.
    fn at(&mut self, offset: usize) -> usize {
        let passed = self.text.get(self.offset..offset).unwrap_or_default();
        self.line += passed.iter().filter(|byte| **byte == b'\n').count();
        self.offset = self.offset.max(offset);
        self.line
    }
}

impl Configuration {
    fn declare(
        &mut self,
        block: HclBlock,
        file: &Arc<str>,
        ends: Option<(usize, usize)>,
        ignores: Vec<Ignore>,
    ) -> Result<(), Unusable> {
        self.count += 1;
        let word = block.identifier().to_owned();
        let labels: Vec<_> = block.labels.iter().map(|l| l.as_str().to_owned()).collect();
        let body = body_of(block.body);
        let is_node = matches!(word.as_str(), "resource" | "data" | "module");
        let ignores = if is_node {
            Arc::new(ignores)
        } else {
            self.ignores.extend(ignores);
            Arc::default()
        };
        let (kind, type_name, name) = match (word.as_str(), labels.as_slice()) {
            ("resource", [type_name, name]) => (Kind::Resource, type_name.clone(), name.clone()),
            ("data", [type_name, name]) => (Kind::Data, type_name.clone(), name.clone()),
            ("module", [name]) => (Kind::Module, "module".to_owned(), name.clone()),
            ("variable", [name]) => {
                self.variables.insert(name.clone(), Variable::of(&body));
                return Ok(());
            }
            ("output", [name]) => {
                let value = body.attribute("value").cloned();
                self.outputs
                    .extend(value.map(|value| (name.clone(), value)));
                return Ok(());
            }
            ("provider", [name]) => {
                self.add_provider(name, body);
                return Ok(());
            }
            ("terraform", []) => {
                self.add_requirements(&body);
                return Ok(());
            }
            ("moved", []) => {
                self.add_moved(&body);
                return Ok(());
            }
            ("locals", []) => {
                self.locals.extend(body.attributes);
                return Ok(());
            }
            ("resource" | "data" | "module" | "variable" | "output" | "locals", _) => {
                return Err(Unusable(format!(
                    "{file}: a `{word}` block has the wrong labels."
                )));
            }
            (word, _) if TOP.contains(&word) => return Ok(()),
            (word, _) => {
                return Err(Unusable(format!(
                    "{file} is not Terraform, which has no `{word}` blocks."
                )));
            }
        };
        self.blocks.push(Block {
            kind,
            type_name,
            name,
            file: Arc::clone(file),
            line: ends.map(|(first, _)| first),
            last_line: ends.map(|(_, last)| last),
            ignores,
            body,
        });
        Ok(())
    }
}

fn body_of(body: hcl::Body) -> Body {
    let mut read = Body::default();
    for structure in body.into_inner() {
        match structure {
            Structure::Attribute(attribute) => read
                .attributes
                .push((attribute.key.into_inner().to_string(), attribute.expr)),
            Structure::Block(block) => match (block.identifier(), block.labels.first()) {
                ("dynamic", Some(label)) => {
                    let kind = label.as_str().to_owned();
                    let inside = body_of(block.body);
                    read.dynamics.extend(Dynamic::of(kind, inside));
                }
                _ => read
                    .blocks
                    .push((block.identifier().to_owned(), body_of(block.body))),
            },
        }
    }
    read
}

/// Whether a line of a message shows a line of the file: `12 | text`.
fn is_quote(line: &str) -> bool {
    line.trim_start()
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start()
        .starts_with('|')
}
