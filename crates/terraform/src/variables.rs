//! The values of the variables of root modules.

use std::collections::BTreeMap;

use hcl::expr::Expression;

use super::archive::Files;
use super::module::Modules;
use super::names::folder;
use super::options::{Given, Options};
use super::terraform::{read_json_values, read_values};
use super::text::text;
use super::unusable::Unusable;
use super::value_files::{ENVIRONMENT, is_values};
use super::warning::Warning;

/// The most warnings about the values of one file.
const MAX_WARNINGS: usize = 100;

impl Modules {
    /// The values that Terraform loads by itself, in its order, and those that are named.
    /// Source: "Variable Definition Precedence", the Terraform language documentation.
    pub fn read_values(
        &mut self,
        root: &str,
        files: &Files,
        options: &Options,
    ) -> Result<(), Unusable> {
        // Terragrunt puts the files of a unit and of its module into one folder.
        let of_root = [root, self.units.get(root).map_or(root, |unit| &unit.folder)];
        let of_root = of_root.map(str::to_owned);
        let own = files
            .iter()
            .filter(|(path, _)| is_values(path) && of_root.iter().any(|of| folder(path) == of));
        let mut ranked: Vec<_> = own
            .filter_map(|(path, text)| Some((rank(path)?, path, text)))
            .collect();
        ranked.sort();
        // Later values replace earlier ones, so the environment comes first.
        let mut values = BTreeMap::new();
        for (name, text) in &options.environment {
            // Terraform ignores what the environment has for other names.
            if self.declares(root, name) == Some(true) {
                let not_text =
                    || Unusable(format!("The value of {ENVIRONMENT}{name} is not UTF-8."));
                let text = text.to_str().ok_or_else(not_text)?;
                values.insert(name.clone(), self.given(root, name, text)?);
                self.value_files.note_environment(name);
            }
        }
        let own = [root.to_owned()];
        for (_, path, bytes) in ranked {
            values.extend(self.values_of(path, bytes, &own)?);
        }
        let roots = self.roots.clone();
        for given in &options.given {
            match given {
                Given::File(path, bytes) => values.extend(self.values_of(path, bytes, &roots)?),
                Given::Value(name, text) => {
                    values.insert(name.clone(), self.given(root, name, text)?);
                }
            }
        }
        self.values.insert(root.to_owned(), values);
        Ok(())
    }

    /// The values in a file for these root modules.
    fn values_of(
        &mut self,
        path: &String,
        bytes: &[u8],
        roots: &[String],
    ) -> Result<Vec<(String, Expression)>, Unusable> {
        let text = text(path, bytes)?;
        let read: Vec<(String, Expression)> = if path.ends_with(".json") {
            read_json_values(path, text)?.into_iter().collect()
        } else {
            read_values(path, text)?
        };
        let names = read.iter().map(|(name, _)| name.as_str());
        let undeclared = names.filter(|name| self.is_undeclared(roots, name));
        let warnings: Vec<_> = undeclared
            .take(MAX_WARNINGS)
            .map(|name| Warning::of_value(path, text, name))
            .collect();
        self.warnings.extend(warnings);
        if !self.value_files.used.contains(path) {
            self.value_files.used.push(path.clone());
        }
        Ok(read)
    }

    /// Whether a module declares a variable; `None` if unknown, because one of its files cannot be read.
    fn declares(&self, module: &str, name: &str) -> Option<bool> {
        let variables = self.root(module).map(|(_, module)| &module.variables);
        if variables.is_some_and(|all| all.contains_key(name)) {
            return Some(true);
        }
        let is_unread = self.unread.keys().any(|path| folder(path) == module);
        if is_unread { None } else { Some(false) }
    }

    /// Whether certainly none of these modules declares a variable.
    fn is_undeclared(&self, modules: &[String], name: &str) -> bool {
        let mut modules = modules.iter();
        modules.all(|module| self.declares(module, name) == Some(false))
    }

    /// Refuses values of names that are not variables, as Terraform does.
    ///
    /// # Errors
    /// No root module declares a variable that `--var` sets.
    pub fn check_given(&self, options: &Options) -> Result<(), Unusable> {
        for given in &options.given {
            if let Given::Value(name, _) = given
                && self.is_undeclared(&self.roots, name)
            {
                return Err(Unusable(format!(
                    "--var gives a value to `{name}`, which is not a variable of the root module. Correct the name, or declare the variable."
                )));
            }
        }
        Ok(())
    }

    /// The value that is given for a variable of a root module.
    fn given(&self, root: &str, name: &str, text: &str) -> Result<Expression, Unusable> {
        let variables = self.root(root).map(|(_, module)| &module.variables);
        let kind = variables.and_then(|all| all.get(name)?.kind.as_ref());
        // Terraform takes the text as it is for a string, and as an expression for any other type.
        let is_text = match kind {
            None => true,
            Some(Expression::Variable(kind)) => kind.as_str() == "string",
            Some(_) => false,
        };
        if is_text {
            Ok(Expression::String(text.to_owned()))
        } else {
            text.parse().map_err(|_| {
                Unusable(format!(
                    "The value of the variable `{name}` is not an expression."
                ))
            })
        }
    }
}

/// The place of a file among those that Terraform loads by itself: later ones override earlier ones.
fn rank(path: &str) -> Option<u8> {
    match path.rsplit('/').next().unwrap_or_default() {
        "terraform.tfvars" => Some(0),
        "terraform.tfvars.json" => Some(1),
        name if name.contains(".auto.tfvars") => Some(2),
        _ => None,
    }
}
