//! What a module declares.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use hcl::expr::Expression;

use super::ignores::Ignore;
use crate::printable::printable;
use crate::versions::Requirement;

/// The blocks that Terraform has at the top of a file.
pub const TOP: [&str; 14] = [
    "action",
    "check",
    "data",
    "ephemeral",
    "import",
    "locals",
    "module",
    "moved",
    "output",
    "provider",
    "removed",
    "resource",
    "terraform",
    "variable",
];

/// The block that says how Terraform treats a resource, and the argument of it that OpenTofu has.
const LIFECYCLE: &str = "lifecycle";
const ENABLED: &str = "enabled";

/// The block that names the providers of a module.
const REQUIRED: &str = "required_providers";

/// What a module declares.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// Resources, data sources and modules, in the files' order.
    pub blocks: Vec<Block>,
    pub locals: BTreeMap<String, Expression>,
    pub variables: BTreeMap<String, Variable>,
    pub outputs: BTreeMap<String, Expression>,
    /// Configurations of providers, each with the name of its provider.
    pub providers: Vec<(String, Body)>,
    /// What blocks `moved` say: the address before, and the one after.
    pub moved: Vec<(String, String)>,
    /// Which providers it requires.
    pub requirements: Vec<Requirement>,
    /// Comments that ignore rules, and are in or above no resource.
    pub ignores: Vec<Ignore>,
    /// How many blocks of any kind.
    pub count: usize,
    /// The places of the blocks, by address, once one is looked for.
    places: OnceCell<HashMap<String, usize>>,
}

#[derive(Clone, Debug, Default)]
pub struct Variable {
    /// Its default, if it has one.
    pub default: Option<Expression>,
    /// Its type, if it has one.
    pub kind: Option<Expression>,
    /// Whether its value must not be shown.
    pub is_sensitive: bool,
    /// Whether its default counts in the place of null.
    pub is_never_null: bool,
}

/// The kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `resource "type" "name"`.
    Resource,
    /// `data "type" "name"`.
    Data,
    /// `module "name"`.
    Module,
}

impl Kind {
    /// As it stands in graphs.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Resource => "resource",
            Kind::Data => "data",
            Kind::Module => "module",
        }
    }
}

/// A resource, a data source or a module.
#[derive(Clone, Debug)]
pub struct Block {
    pub kind: Kind,
    /// Its type: `aws_instance`; for a module, `module`.
    pub type_name: String,
    pub name: String,
    pub file: Arc<str>,
    /// The line where it begins, if known.
    pub line: Option<usize>,
    /// The line where it ends, if known.
    pub last_line: Option<usize>,
    /// The comments in it and above it that ignore rules.
    pub ignores: Arc<Vec<Ignore>>,
    /// Its arguments and blocks.
    pub body: Body,
}

/// The inside of a block.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// Its arguments. In JSON, blocks are among them.
    pub attributes: Vec<(String, Expression)>,
    pub blocks: Vec<(String, Body)>,
    pub dynamics: Vec<Dynamic>,
}

/// A block that is repeated.
#[derive(Clone, Debug)]
pub struct Dynamic {
    /// The block's type.
    pub kind: String,
    /// The name of its element inside.
    pub iterator: String,
    pub for_each: Expression,
    pub content: Body,
}

impl Configuration {
    /// The block with an address.
    pub fn block(&self, address: &str) -> Option<&Block> {
        let places = self.places.get_or_init(|| {
            let blocks = self.blocks.iter().enumerate();
            blocks.map(|(at, block)| (block.address(), at)).collect()
        });
        self.blocks.get(*places.get(address)?)
    }

    /// Adds what another file declares.
    pub fn extend(&mut self, with: Configuration) {
        self.blocks.extend(with.blocks);
        self.locals.extend(with.locals);
        self.variables.extend(with.variables);
        self.outputs.extend(with.outputs);
        self.providers.extend(with.providers);
        self.moved.extend(with.moved);
        self.requirements.extend(with.requirements);
        self.ignores.extend(with.ignores);
        self.count += with.count;
        self.places = OnceCell::new();
    }

    /// Takes over what an override file declares: arguments replace those of the same name, and nested blocks all
    /// those of the same type.
    pub fn merge(&mut self, with: Configuration) {
        for block in with.blocks {
            let address = block.address();
            let mut blocks = self.blocks.iter_mut();
            match blocks.find(|there| there.address() == address) {
                Some(there) => {
                    // Comments in the override are about the same resource.
                    let ignores = block.ignores.iter().cloned();
                    Arc::make_mut(&mut there.ignores).extend(ignores);
                    there.body.merge(block.body);
                }
                None => self.blocks.push(block),
            }
        }
        for (name, variable) in with.variables {
            let there = self.variables.entry(name).or_default();
            there.is_sensitive |= variable.is_sensitive;
            there.default = variable.default.or(there.default.take());
            there.kind = variable.kind.or(there.kind.take());
        }
        self.locals.extend(with.locals);
        self.outputs.extend(with.outputs);
        self.providers.extend(with.providers);
        self.moved.extend(with.moved);
        self.requirements.extend(with.requirements);
        self.ignores.extend(with.ignores);
        self.count += with.count;
        self.places = OnceCell::new();
    }
}

impl Configuration {
    /// Adds what a block `terraform` requires. In JSON, the inner block is an argument.
    pub fn add_requirements(&mut self, body: &Body) {
        let blocks = body.blocks.iter().filter(|(kind, _)| kind == REQUIRED);
        let blocks = blocks.flat_map(|(_, block)| block.attributes.clone());
        let arguments = body.attribute(REQUIRED).map(members).unwrap_or_default();
        for (provider, value) in blocks.chain(arguments) {
            // Earlier versions of Terraform have the constraint alone.
            let constraint = text(&value).or_else(|| text(member(&value, "version")?));
            self.requirements.push(Requirement {
                provider,
                source: member(&value, "source").and_then(text),
                constraint: constraint.unwrap_or_default(),
            });
        }
    }

    /// Adds the configuration of a provider, which may require a version as well.
    pub fn add_provider(&mut self, name: &str, body: Body) {
        if let Some(constraint) = body.attribute("version").and_then(text) {
            self.requirements.push(Requirement {
                provider: name.to_owned(),
                source: None,
                constraint,
            });
        }
        self.providers.push((name.to_owned(), body));
    }

    /// Adds a block `moved`.
    pub fn add_moved(&mut self, body: &Body) {
        let ends = [body.attribute("from"), body.attribute("to")];
        if let [Some(from), Some(to)] = ends.map(|end| end.map(written)) {
            self.moved.push((from, to));
        }
    }
}

/// An address as it is written; in JSON, it is a text.
fn written(address: &Expression) -> String {
    match address {
        Expression::String(text) => text.clone(),
        other => printable(other).to_string(),
    }
}

impl Block {
    /// Its address in its module: `aws_instance.web`, `data.aws_ami.ubuntu`, `module.vpc`.
    pub fn address(&self) -> String {
        match self.kind {
            Kind::Resource => format!("{}.{}", self.type_name, self.name),
            Kind::Data => format!("data.{}.{}", self.type_name, self.name),
            Kind::Module => format!("module.{}", self.name),
        }
    }
}

impl Body {
    fn merge(&mut self, mut with: Body) {
        // Of this block, Terraform replaces single arguments.
        let lifecycle = with.blocks.iter().position(|(kind, _)| kind == LIFECYCLE);
        let there = self.blocks.iter_mut().find(|(kind, _)| kind == LIFECYCLE);
        if let (Some(place), Some((_, there))) = (lifecycle, there) {
            there.merge(with.blocks.swap_remove(place).1);
        }
        for (name, mut value) in with.attributes {
            // In JSON, the block is an argument: the first one that has an argument decides.
            if name == LIFECYCLE
                && let Some(there) = self.attribute(&name)
            {
                value = Expression::Array(vec![value, there.clone()]);
            }
            self.attributes.retain(|(there, _)| *there != name);
            self.attributes.push((name, value));
        }
        let replaced: Vec<_> = with.blocks.iter().map(|(kind, _)| kind.clone()).collect();
        let dynamics = with.dynamics.iter().map(|dynamic| dynamic.kind.clone());
        let replaced: Vec<_> = replaced.into_iter().chain(dynamics).collect();
        self.blocks.retain(|(kind, _)| !replaced.contains(kind));
        self.dynamics
            .retain(|dynamic| !replaced.contains(&dynamic.kind));
        self.blocks.extend(with.blocks);
        self.dynamics.extend(with.dynamics);
    }

    pub fn attribute(&self, name: &str) -> Option<&Expression> {
        let mut attributes = self.attributes.iter();
        attributes
            .find(|(attribute, _)| attribute == name)
            .map(|(_, value)| value)
    }

    /// Whether the block has an instance at all, as OpenTofu has it. Source: "The enabled Meta-Argument", its documentation.
    pub fn enabled(&self) -> Option<&Expression> {
        let mut blocks = self.blocks.iter().filter(|(kind, _)| kind == LIFECYCLE);
        let found = blocks.find_map(|(_, body)| body.attribute(ENABLED));
        found.or_else(|| member(self.attribute(LIFECYCLE)?, ENABLED))
    }
}

/// A member of a block as JSON has it: an object, or a list of one.
fn member<'e>(block: &'e Expression, name: &str) -> Option<&'e Expression> {
    match block {
        Expression::Array(list) => list.iter().find_map(|one| member(one, name)),
        Expression::Object(object) => {
            let mut members = object.iter();
            let found = members.find(|(key, _)| key.to_string().trim_matches('"') == name);
            found.map(|(_, value)| value)
        }
        _ => None,
    }
}

fn text(value: &Expression) -> Option<String> {
    match value {
        Expression::String(text) => Some(text.clone()),
        _ => None,
    }
}

/// The members of such a block.
fn members(block: &Expression) -> Vec<(String, Expression)> {
    match block {
        Expression::Array(list) => list.iter().flat_map(members).collect(),
        Expression::Object(object) => {
            let members = object.iter();
            let members =
                members.map(|(key, value)| (key.to_string().trim_matches('"').to_owned(), value));
            members.map(|(name, value)| (name, value.clone())).collect()
        }
        _ => Vec::new(),
    }
}

impl Variable {
    /// A variable from its block.
    pub fn of(body: &Body) -> Self {
        Self {
            default: body.attribute("default").cloned(),
            kind: body.attribute("type").cloned(),
            // An ephemeral value is in no plan or state, and so in no graph.
            is_sensitive: ["sensitive", "ephemeral"]
                .iter()
                .any(|name| body.attribute(name) == Some(&Expression::Bool(true))),
            is_never_null: body.attribute("nullable") == Some(&Expression::Bool(false)),
        }
    }
}

impl Dynamic {
    /// A dynamic block from its own body; `None` without `for_each`, which Terraform refuses.
    pub fn of(kind: String, mut body: Body) -> Option<Self> {
        let for_each = body.attribute("for_each")?.clone();
        let iterator = match body.attribute("iterator") {
            Some(Expression::Variable(name)) => name.as_str().to_owned(),
            Some(Expression::String(name)) => name.clone(),
            _ => kind.clone(),
        };
        let content = body.blocks.iter().position(|(kind, _)| kind == "content");
        let content = content.map(|place| body.blocks.swap_remove(place).1);
        Some(Self {
            kind,
            iterator,
            for_each,
            content: content.unwrap_or_default(),
        })
    }
}
