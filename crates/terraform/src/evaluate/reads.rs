//! Files that a configuration reads: `file` and `templatefile`, as far as they are in the upload.

use std::collections::BTreeMap;

use hcl::expr::Expression;
use hcl::template::Template;

use super::{Evaluator, Scope};
use crate::attributes::is_secret;
use crate::names::path;
use crate::terraform::Block;
use crate::value::Value;

/// Begins a path from the top of the upload. No configuration has this character.
const TOP: char = '\u{F8F1}';
/// A name in the scope of a template, which must not read another one. No variable has this name.
const IN_TEMPLATE: &str = "(template)";
/// The cost of a byte of a template, which is parsed anew for each instance.
const OF_BYTE: usize = 16;

/// The files that a module may read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reads<'c> {
    pub texts: Option<&'c BTreeMap<String, String>>,
    pub module: &'c str,
    /// The folder of the root module, where Terraform runs.
    pub root: &'c str,
    /// The workspace, if it is known.
    pub workspace: Option<&'c str>,
}

impl<'c> Evaluator<'c> {
    pub(super) fn file(&self, argument: &Expression, scope: &Scope) -> Option<&'c str> {
        let texts = self.reads.texts.filter(|texts| !texts.is_empty())?;
        let folders = [
            ("cwd", self.reads.root),
            ("module", self.reads.module),
            ("root", self.reads.root),
        ];
        let folders =
            folders.map(|(name, of)| (name.to_owned(), Value::Text(format!("{TOP}{of}"))));
        let scope = scope.with("path", Value::Map(folders.into()));
        let Value::Text(named) = self.value(argument, &scope) else {
            return None;
        };
        let (from, named) = match named.strip_prefix(TOP) {
            Some(named) => ("", named),
            None if named.starts_with(['/', '~']) => return None,
            None => (self.reads.root, named.as_str()),
        };
        let named = path(from, &format!("./{named}"))?;
        // The name says that the file has a secret.
        if named.split(['/', '.']).any(is_secret) {
            return None;
        }
        let text = texts.get(&named)?;
        // It may be read for each instance: then it is not known for the others.
        self.budget.spare(text.len())?;
        Some(text)
    }

    /// The text that a template in a file makes of values.
    pub(super) fn template_file(
        &self,
        argument: &Expression,
        values: Value,
        whole: &Expression,
        scope: &Scope,
    ) -> Option<Value> {
        if self.in_scope(IN_TEMPLATE, scope).is_some() {
            return None;
        }
        self.filled(self.file(argument, scope)?, values, whole)
    }

    /// The text of a data source `template_file`, whose template is a value.
    pub(super) fn rendered(&self, block: &Block, inside: &Scope) -> Option<Value> {
        let expression = block.body.attribute("template")?;
        let Value::Text(text) = self.value(expression, inside) else {
            return None;
        };
        let values = block.body.attribute("vars");
        let values = values.map_or(Value::Null, |values| self.value(values, inside));
        self.filled(&text, values, expression)
    }

    /// The text that a template makes of values.
    fn filled(&self, text: &str, values: Value, whole: &Expression) -> Option<Value> {
        self.budget.spare(text.len().saturating_mul(OF_BYTE))?;
        let template: Template = text.parse().ok()?;
        let values = match values {
            Value::Map(values) => values,
            _ => BTreeMap::new(),
        };
        let mut inside = Scope::default().with(IN_TEMPLATE, Value::Null);
        for (name, value) in values {
            inside = inside.with(&name, value);
        }
        self.template(&template, whole, &inside)
    }
}

#[cfg(test)]
mod tests {
    use super::Reads;
    use crate::evaluate::{Evaluator, Scope};
    use crate::graph::Values;
    use crate::terraform::Configuration;
    use crate::value::{Budget, Value};

    #[test]
    fn a_template_that_takes_too_much_is_not_known_and_fails_nothing() {
        let budget = Budget::default();
        // What the other instances took.
        budget.take(300 * 1024 * 1024).unwrap();
        let text = "x".repeat(6 * 1024 * 1024);
        let texts = [("p.tftpl".to_owned(), text)].into();
        let reads = Reads {
            texts: Some(&texts),
            module: "",
            root: "",
            workspace: None,
        };
        let configuration = Configuration::default();
        let evaluator = Evaluator::new(&configuration, String::new(), Values::new(), &budget);
        let evaluator = evaluator.reading(reads);
        for call in ["file(\"p.tftpl\")", "templatefile(\"p.tftpl\", {})"] {
            let value = evaluator.value(&call.parse().unwrap(), &Scope::default());
            assert!(matches!(value, Value::Unknown(_)), "{call}");
        }
        assert!(budget.check().is_ok());
        assert!(budget.take(1).is_some());
    }
}
