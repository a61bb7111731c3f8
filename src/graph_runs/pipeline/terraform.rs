//! Terraform's two syntaxes, read into one form.
//! Source: "Configuration Syntax" and "JSON Configuration Syntax", the Terraform language documentation.

use std::collections::BTreeMap;

use hcl::expr::{Expression, ObjectKey, TemplateExpr};
use hcl::{Identifier, Structure};
use serde_json::Value as Json;

use super::Unusable;

/// What a file declares.
#[derive(Debug, Default)]
pub struct Configuration {
    /// Resources, data sources and modules, in the file's order.
    pub blocks: Vec<Block>,
    /// Local values.
    pub locals: BTreeMap<String, Expression>,
    /// Input variables, by whether they have a default.
    pub variables: BTreeMap<String, bool>,
}

/// What a block declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `resource "type" "name"`.
    Resource,
    /// `data "type" "name"`.
    Data,
    /// `module "name"`.
    Module,
}

/// A resource, a data source or a module.
#[derive(Debug)]
pub struct Block {
    /// Which of them.
    pub kind: Kind,
    /// Its type: `aws_instance`; for a module, `module`.
    pub type_name: String,
    /// Its name.
    pub name: String,
    /// What it says.
    pub body: Body,
}

/// The inside of a block.
#[derive(Debug, Default)]
pub struct Body {
    /// Its arguments. In JSON, blocks are among them.
    pub attributes: Vec<(String, Expression)>,
    /// The blocks in it.
    pub blocks: Vec<(String, Body)>,
    /// The `dynamic` blocks in it.
    pub dynamics: Vec<Dynamic>,
}

/// A block that is repeated.
#[derive(Debug)]
pub struct Dynamic {
    /// What kind of block.
    pub kind: String,
    /// What its element is called inside.
    pub iterator: String,
    /// Over what.
    pub for_each: Expression,
    /// The block.
    pub content: Body,
}

impl Block {
    /// Its address: `aws_instance.web`, `data.aws_ami.ubuntu`, `module.vpc`.
    pub fn address(&self) -> String {
        match self.kind {
            Kind::Resource => format!("{}.{}", self.type_name, self.name),
            Kind::Data => format!("data.{}.{}", self.type_name, self.name),
            Kind::Module => format!("module.{}", self.name),
        }
    }
}

impl Body {
    /// An argument.
    pub fn attribute(&self, name: &str) -> Option<&Expression> {
        self.attributes
            .iter()
            .find(|(attribute, _)| attribute == name)
            .map(|(_, value)| value)
    }
}

/// Reads a `.tf` file.
///
/// # Errors
/// Where and why it is not one.
pub fn read_hcl(text: &str) -> Result<Configuration, Unusable> {
    let file = hcl::parse(text).map_err(|error| {
        let reason = error.to_string();
        Unusable(format!("The file is not Terraform: {}", reason.trim()))
    })?;
    let mut configuration = Configuration::default();
    for block in file.into_blocks() {
        let labels: Vec<_> = block.labels.iter().map(|l| l.as_str().to_owned()).collect();
        match (block.identifier(), labels.as_slice()) {
            ("resource", [type_name, name]) => configuration.add(
                Kind::Resource,
                (type_name.clone(), name.clone()),
                body_of(block.body),
            ),
            ("data", [type_name, name]) => configuration.add(
                Kind::Data,
                (type_name.clone(), name.clone()),
                body_of(block.body),
            ),
            ("module", [name]) => configuration.add(
                Kind::Module,
                ("module".to_owned(), name.clone()),
                body_of(block.body),
            ),
            ("variable", [name]) => {
                let has_default = body_of(block.body).attribute("default").is_some();
                configuration.variables.insert(name.clone(), has_default);
            }
            ("locals", []) => configuration.locals.extend(body_of(block.body).attributes),
            ("resource" | "data" | "module" | "variable", _) => {
                let kind = block.identifier();
                return Err(Unusable(format!("A `{kind}` block has the wrong labels.")));
            }
            _ => {}
        }
    }
    Ok(configuration)
}

impl Configuration {
    fn add(&mut self, kind: Kind, (type_name, name): (String, String), body: Body) {
        self.blocks.push(Block {
            kind,
            type_name,
            name,
            body,
        });
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
                    read.dynamics.extend(dynamic(kind, inside));
                }
                _ => read
                    .blocks
                    .push((block.identifier().to_owned(), body_of(block.body))),
            },
        }
    }
    read
}

/// A dynamic block from its own body; `None` without `for_each`, which Terraform refuses.
fn dynamic(kind: String, mut body: Body) -> Option<Dynamic> {
    let for_each = body.attribute("for_each")?.clone();
    let iterator = match body.attribute("iterator") {
        Some(Expression::Variable(name)) => name.as_str().to_owned(),
        Some(Expression::String(name)) => name.clone(),
        _ => kind.clone(),
    };
    let content = body.blocks.iter().position(|(kind, _)| kind == "content");
    let content = content.map(|place| body.blocks.swap_remove(place).1);
    Some(Dynamic {
        kind,
        iterator,
        for_each,
        content: content.unwrap_or_default(),
    })
}

/// Reads a `.tf.json` file.
///
/// # Errors
/// Where and why it is not one.
pub fn read_json(text: &str) -> Result<Configuration, Unusable> {
    let file: Json = serde_json::from_str(text)
        .map_err(|error| Unusable(format!("The file is not JSON: {error}.")))?;
    let Json::Object(_) = &file else {
        return Err(Unusable("The file is not an object of blocks.".to_owned()));
    };
    let mut configuration = Configuration::default();
    for (kind, section) in [(Kind::Resource, "resource"), (Kind::Data, "data")] {
        for (type_name, of_type) in entries(file.get(section)) {
            for (name, body) in entries(Some(of_type)) {
                let named = (type_name.clone(), name.clone());
                configuration.add(kind, named, json_body(body)?);
            }
        }
    }
    for (name, body) in entries(file.get("module")) {
        let named = ("module".to_owned(), name.clone());
        configuration.add(Kind::Module, named, json_body(body)?);
    }
    for (name, body) in entries(file.get("variable")) {
        let has_default = entries(Some(body)).any(|(name, _)| name == "default");
        configuration.variables.insert(name.clone(), has_default);
    }
    for (name, value) in entries(file.get("locals")) {
        configuration
            .locals
            .insert(name.clone(), expression(value)?);
    }
    Ok(configuration)
}

/// The entries of an object, or of a list of objects: JSON takes either for a repeated block.
fn entries(value: Option<&Json>) -> impl Iterator<Item = (&String, &Json)> {
    let objects: Vec<_> = match value {
        Some(Json::Object(object)) => vec![object],
        Some(Json::Array(list)) => list.iter().filter_map(Json::as_object).collect(),
        _ => Vec::new(),
    };
    objects.into_iter().flatten()
}

fn json_body(value: &Json) -> Result<Body, Unusable> {
    let mut body = Body::default();
    for (name, value) in entries(Some(value)) {
        match name.as_str() {
            "//" => {}
            "dynamic" => {
                for (kind, each) in entries(Some(value)) {
                    for each in one_or_many(each) {
                        let mut inside = json_body(each)?;
                        let content = each.get("content").map(json_body).transpose()?;
                        inside
                            .blocks
                            .extend(content.map(|body| ("content".to_owned(), body)));
                        body.dynamics.extend(dynamic(kind.clone(), inside));
                    }
                }
            }
            "depends_on" => body.attributes.push((name.clone(), addresses(value)?)),
            _ => body.attributes.push((name.clone(), expression(value)?)),
        }
    }
    Ok(body)
}

fn one_or_many(value: &Json) -> Vec<&Json> {
    match value {
        Json::Array(list) => list.iter().collect(),
        one => vec![one],
    }
}

/// A list of texts that each are an expression, as `depends_on` has them.
fn addresses(value: &Json) -> Result<Expression, Unusable> {
    let texts = one_or_many(value).into_iter().filter_map(Json::as_str);
    let addresses = texts.map(|text| parse(text, text));
    Ok(Expression::Array(addresses.collect::<Result<_, _>>()?))
}

fn parse(expression: &str, whole: &str) -> Result<Expression, Unusable> {
    expression.parse().map_err(|_| {
        let whole: String = whole.chars().take(200).collect();
        Unusable(format!("`{whole}` is not an expression of Terraform."))
    })
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
        Json::String(text) if !text.contains("${") && !text.contains("%{") => {
            Expression::String(text.clone())
        }
        Json::String(text) => template(text)?,
        Json::Array(list) => {
            Expression::Array(list.iter().map(expression).collect::<Result<_, _>>()?)
        }
        Json::Object(object) => {
            let mut read = hcl::expr::Object::new();
            for (name, value) in object {
                let key = match template_key(name)? {
                    Some(key) => key,
                    None => ObjectKey::Expression(Expression::String(name.clone())),
                };
                read.insert(key, expression(value)?);
            }
            Expression::Object(read)
        }
    })
}

fn template_key(name: &str) -> Result<Option<ObjectKey>, Unusable> {
    let is_template = name.contains("${") || name.contains("%{");
    Ok(match is_template {
        true => Some(ObjectKey::Expression(template(name)?)),
        false => None,
    })
}

/// A template; one that is nothing but an interpolation stands for the value in it.
fn template(text: &str) -> Result<Expression, Unusable> {
    use hcl::template::{Element, Template};
    let read: Template = text.parse().map_err(|_| {
        let text: String = text.chars().take(200).collect();
        Unusable(format!("`{text}` is not a template of Terraform."))
    })?;
    let mut elements = read.elements().iter();
    match (elements.next(), elements.next()) {
        (Some(Element::Interpolation(only)), None) => Ok(only.expr.clone()),
        _ => Ok(Expression::TemplateExpr(Box::new(
            TemplateExpr::QuotedString(read.to_string()),
        ))),
    }
}

/// An identifier as text.
pub fn name_of(identifier: &Identifier) -> &str {
    identifier.as_str()
}
