//! Terraform's JSON syntax.

use std::borrow::Cow;
use std::sync::Arc;

use hcl::expr::{Expression, FuncCall, ObjectKey, TemplateExpr};
use hcl::template::{Element, Template};

use super::declared::{Block, Body, Configuration, Dynamic, Kind, TOP, Variable};
use super::duplicates::{Begins, MANY, with_distinct_keys};
use super::members::Json;
use crate::quote::without_values;
use crate::text::other_json;
use crate::unusable::Unusable;

/// Adds what a `.tf.json` file declares.
///
/// # Errors
/// Where and why it is not one.
pub fn read_json(into: &mut Configuration, file: &Arc<str>, text: &str) -> Result<(), Unusable> {
    let read: Json = serde_json::from_str(text)
        .map_err(|error| Unusable(format!("{file} is not JSON: {}.", reason(&error))))?;
    let Json::Object(members) = &read else {
        return Err(Unusable(format!("{file} is not an object of blocks.")));
    };
    refuse_others(file, &read)?;
    let mut add = |kind, type_name: &str, name: &str, body: &Json| {
        into.count += 1;
        into.blocks.push(Block {
            kind,
            type_name: type_name.to_owned(),
            name: name.to_owned(),
            file: Arc::clone(file),
            // The parser of JSON keeps no lines.
            line: None,
            last_line: None,
            ignores: Arc::default(),
            body: json_body(body).map_err(within(file, name))?,
        });
        Ok::<_, Unusable>(())
    };
    for (kind, section) in [(Kind::Resource, "resource"), (Kind::Data, "data")] {
        for (type_name, of_type) in read.entries_of(section) {
            for (name, body) in of_type.entries() {
                add(kind, type_name, name, body)?;
            }
        }
    }
    for (name, body) in read.entries_of("module") {
        add(Kind::Module, "module", name, body)?;
    }
    for (name, body) in read.entries_of("provider") {
        let bodies = match body {
            Json::List(list) => list.iter().collect(),
            body => vec![body],
        };
        for body in bodies {
            let body = json_body(body).map_err(within(file, name))?;
            into.add_provider(name, body);
        }
    }
    for (name, body) in read.entries_of("variable") {
        let variable = Variable::of(&json_body(body).map_err(within(file, name))?);
        into.variables.insert(name.to_owned(), variable);
    }
    for (name, body) in read.entries_of("output") {
        let value = json_body(body)
            .map_err(within(file, name))?
            .attribute("value")
            .cloned();
        into.outputs
            .extend(value.map(|value| (name.to_owned(), value)));
    }
    for settings in read.all("terraform") {
        into.add_requirements(&json_body(settings).map_err(within(file, "terraform"))?);
    }
    for moved in read.all("moved") {
        into.add_moved(&json_body(moved).map_err(within(file, "moved"))?);
    }
    for (name, value) in read.entries_of("locals") {
        let value = expression(value).map_err(within(file, name))?;
        into.locals.insert(name.to_owned(), value);
    }
    into.count += members.len();
    Ok(())
}

/// The values in a `.tfvars.json` file.
///
/// # Errors
/// Where and why it is not one.
pub fn read_json_values(file: &str, text: &str) -> Result<Vec<(String, Expression)>, Unusable> {
    let read: Json = serde_json::from_str(text)
        .map_err(|error| Unusable(format!("{file} is not JSON: {}.", reason(&error))))?;
    let values = read.entries().into_iter();
    values
        .map(|(name, value)| {
            let value = expression(value).map_err(within(file, name))?;
            Ok((name.to_owned(), value))
        })
        .collect()
}

/// Why a file is not JSON, without the values in it, which may be secrets.
fn reason(error: &serde_json::Error) -> String {
    without_values(&error.to_string())
}

/// Says where a problem is. The text that has it may be a secret.
fn within(file: &str, name: &str) -> impl Fn(Unusable) -> Unusable {
    move |Unusable(reason)| Unusable(format!("{file}: in `{name}`, {reason}."))
}

/// Files that are mistaken for configurations have members of their own.
fn refuse_others(file: &Arc<str>, object: &Json) -> Result<(), Unusable> {
    let reason = if let Some(reason) = other_json(|name| object.has(name)) {
        reason.to_owned()
    } else {
        let members = object.entries();
        let mut names = members.iter().map(|(name, _)| *name);
        // In JSON, Terraform takes a member `//` for a comment.
        match names.find(|name| *name != "//" && !TOP.contains(name)) {
            Some(other) => format!(
                "is not Terraform, which has no `{other}` at the top. Expected are blocks such as `resource` and `module`"
            ),
            None => return Ok(()),
        }
    };
    Err(Unusable(format!("{file} {reason}.")))
}

fn json_body(value: &Json) -> Result<Body, Unusable> {
    let mut body = Body::default();
    for (name, value) in Json::merged(value.entries()) {
        match name {
            "//" => {}
            "dynamic" => {
                for (kind, each) in value.entries() {
                    for each in each.one_or_many() {
                        let mut inside = json_body(each)?;
                        for content in each.all("content") {
                            let content = ("content".to_owned(), json_body(content)?);
                            inside.blocks.push(content);
                        }
                        body.dynamics.extend(Dynamic::of(kind.to_owned(), inside));
                    }
                }
            }
            "depends_on" => body.attributes.push((name.to_owned(), addresses(&value)?)),
            _ => body.attributes.push((name.to_owned(), expression(&value)?)),
        }
    }
    Ok(body)
}

/// A list of texts that each are an expression, as `depends_on` has them.
fn addresses(value: &Json) -> Result<Expression, Unusable> {
    let texts = value.one_or_many().iter().filter_map(|one| match one {
        Json::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let addresses = texts.map(parse);
    Ok(Expression::Array(addresses.collect::<Result<_, _>>()?))
}

fn parse(text: &str) -> Result<Expression, Unusable> {
    let reason = "an entry of `depends_on` is not an expression of Terraform";
    text.parse().map_err(|_| Unusable(reason.to_owned()))
}

/// A JSON value as an expression: texts are templates.
fn expression(value: &Json) -> Result<Expression, Unusable> {
    Ok(match value {
        Json::Null => Expression::Null,
        Json::Bool(flag) => Expression::Bool(*flag),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Expression::Number(whole.into()),
            (None, Some(float)) => {
                hcl::Number::from_f64(float).map_or(Expression::Null, Expression::Number)
            }
            (None, None) => Expression::Null,
        },
        Json::Text(text) => template(text)?,
        Json::List(list) => {
            Expression::Array(list.iter().map(expression).collect::<Result<_, _>>()?)
        }
        Json::Object(_) => object(&Json::merged(value.entries()))?,
    })
}

/// An object. A large one is a call of `merge` with smaller ones, because to insert into one takes time that grows with it.
fn object(members: &[(&str, Cow<'_, Json>)]) -> Result<Expression, Unusable> {
    if members.len() > MANY {
        let mut merge = FuncCall::builder("merge");
        for part in members.chunks(MANY) {
            merge = merge.arg(object(part)?);
        }
        return Ok(Expression::FuncCall(Box::new(merge.build())));
    }
    let mut read = hcl::expr::Object::new();
    for (name, value) in members {
        read.insert(ObjectKey::Expression(template(name)?), expression(value)?);
    }
    Ok(Expression::Object(read))
}

/// A template; one that is nothing but an interpolation stands for the value in it.
fn template(text: &str) -> Result<Expression, Unusable> {
    if !text.contains("${") && !text.contains("%{") {
        return Ok(Expression::String(text.to_owned()));
    }
    let parsed = text
        .parse()
        .or_else(|error| match with_distinct_keys(text, Begins::InText) {
            Some(text) => text.parse(),
            None => Err(error),
        });
    let read: Template =
        parsed.map_err(|_| Unusable("a text is not a template of Terraform".to_owned()))?;
    let mut elements = read.elements().iter();
    match (elements.next(), elements.next()) {
        (Some(Element::Interpolation(only)), None) => Ok(only.expr.clone()),
        _ => Ok(Expression::TemplateExpr(Box::new(
            TemplateExpr::QuotedString(read.to_string()),
        ))),
    }
}
