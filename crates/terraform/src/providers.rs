//! Which configuration of its provider a block is made with: whether two resources are in the same account and region.
//! Source: "Providers Within Modules", the Terraform language documentation.

use std::collections::BTreeMap;

use hcl::expr::Expression;

use super::quote::quote;
use super::terraform::{Block, Body, Configuration};

/// Arguments of a provider that say nothing of where its resources are.
const ELSEWHERE: [&str; 2] = ["alias", "version"];

/// The configurations of providers in a module, by the names that they have there: `aws`, `aws.west`.
#[derive(Clone, Debug, Default)]
pub struct Providers(BTreeMap<String, String>);

impl Providers {
    /// Those that every module has without being given them. One with an alias has to be given.
    fn inherited(&self) -> Self {
        let all = self.0.iter().filter(|(name, _)| !name.contains('.'));
        Self(all.map(|(name, of)| (name.clone(), of.clone())).collect())
    }

    /// Those that a call hands to its module: the ones that it names, or those without an alias.
    pub fn given_to(&self, call: &Block) -> Self {
        match call.body.attribute("providers") {
            Some(Expression::Object(given)) => {
                let given = given.iter().map(|(name, of)| {
                    let name = match name {
                        hcl::expr::ObjectKey::Identifier(name) => name.as_str().to_owned(),
                        hcl::expr::ObjectKey::Expression(name) => named(name),
                        other => format!("{other:?}"),
                    };
                    (name, self.at(&named(of)))
                });
                Self(self.inherited().0.into_iter().chain(given).collect())
            }
            Some(_) | None => self.inherited(),
        }
    }

    /// The same with those that a module configures itself.
    pub fn in_module(mut self, module: &Configuration, prefix: &str) -> Self {
        for (name, body) in &module.providers {
            let name = match body.attribute("alias") {
                Some(alias) => format!("{name}.{}", named(alias)),
                None => name.clone(),
            };
            let of = format!("{prefix}{}", place(body));
            self.0.insert(name, of);
        }
        self
    }

    /// That of a block.
    pub fn of(&self, block: &Block) -> String {
        match block.body.attribute("provider") {
            Some(provider) => self.at(&named(provider)),
            // A type belongs to the provider that its name begins with.
            None => self.at(block.type_name.split('_').next().unwrap_or_default()),
        }
    }

    /// The name of its provider in its module: `azurerm` of `azurerm.west`.
    pub fn name_of(block: &Block) -> String {
        let name = match block.body.attribute("provider") {
            Some(provider) => named(provider).split('.').next().map(str::to_owned),
            None => block.type_name.split('_').next().map(str::to_owned),
        };
        name.unwrap_or_default()
    }

    fn at(&self, name: &str) -> String {
        self.0.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }
}

/// A name that stands as a reference, or as a text in JSON.
fn named(expression: &Expression) -> String {
    match expression {
        Expression::String(name) => name.clone(),
        other => quote(other),
    }
}

/// What a configuration of a provider has, but its name.
fn place(body: &Body) -> String {
    let attributes = body.attributes.iter();
    let mut attributes: Vec<_> = attributes
        .filter(|(name, _)| !ELSEWHERE.contains(&name.as_str()))
        .map(|(name, value)| format!("{name}={value:?}"))
        .collect();
    // The order of arguments decides nothing.
    attributes.sort();
    format!("{attributes:?} {:?} {:?}", body.blocks, body.dynamics)
}
