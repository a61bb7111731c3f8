//! Variables inside lists and input objects, whose types the validator does not compare with those of their places.
//! Source: the GraphQL specification, "All Variable Usages Are Allowed".

use std::collections::HashSet;

use apollo_compiler::ast::{Argument, DirectiveList, InputValueDefinition, Type, Value};
use apollo_compiler::executable::{Operation, Selection, SelectionSet};
use apollo_compiler::{ExecutableDocument, Name, Node, Schema};
use async_graphql::ServerError;

use super::places::pos;
use super::work::Work;
use crate::errors::coded;
use trestle_api::Code;

/// Refuses a document with a variable in a place that it does not fit.
pub(super) fn check(
    document: &ExecutableDocument,
    schema: &Schema,
    text: &str,
    work: &Work,
) -> Result<(), Vec<ServerError>> {
    let found = document.operations.iter().find_map(|operation| {
        let mut usages = Usages {
            document,
            schema,
            operation,
            followed: HashSet::new(),
            work,
        };
        let own = usages.in_directives(&operation.directives);
        own.or_else(|| usages.in_selections(&operation.selection_set))
    });
    match found {
        None => Ok(()),
        Some((message, offset)) => {
            let at = offset.map(|offset| pos(text, offset));
            Err(vec![coded(Code::GraphqlValidationFailed, message, at)])
        }
    }
}

/// Why a variable does not fit, and where it stands.
type Misfit = Option<(String, Option<usize>)>;

/// The usages of variables in one operation and the fragments that it spreads.
struct Usages<'a> {
    document: &'a ExecutableDocument,
    schema: &'a Schema,
    operation: &'a Operation,
    followed: HashSet<&'a Name>,
    work: &'a Work,
}

impl<'a> Usages<'a> {
    fn in_selections(&mut self, set: &'a SelectionSet) -> Misfit {
        let work = self.work;
        let mut selections = set.selections.iter().take_while(|_| work.step());
        selections.find_map(|selection| match selection {
            Selection::Field(field) => {
                let definition = &field.definition;
                self.in_arguments(&definition.arguments, &field.arguments)
                    .or_else(|| self.in_directives(&field.directives))
                    .or_else(|| self.in_selections(&field.selection_set))
            }
            Selection::InlineFragment(inline) => self
                .in_directives(&inline.directives)
                .or_else(|| self.in_selections(&inline.selection_set)),
            Selection::FragmentSpread(spread) => {
                let own = self.in_directives(&spread.directives);
                own.or_else(|| {
                    let fragment = self.document.fragments.get(&spread.fragment_name)?;
                    if !self.followed.insert(&fragment.name) {
                        return None;
                    }
                    let own = self.in_directives(&fragment.directives);
                    own.or_else(|| self.in_selections(&fragment.selection_set))
                })
            }
        })
    }

    fn in_directives(&self, directives: &DirectiveList) -> Misfit {
        directives.iter().find_map(|directive| {
            let definition = self.schema.directive_definitions.get(&directive.name)?;
            self.in_arguments(&definition.arguments, &directive.arguments)
        })
    }

    fn in_arguments(
        &self,
        definitions: &[Node<InputValueDefinition>],
        arguments: &[Node<Argument>],
    ) -> Misfit {
        arguments.iter().find_map(|argument| {
            let mut definitions = definitions.iter();
            let definition = definitions.find(|it| it.name == argument.name)?;
            let has_default = definition.default_value.is_some();
            self.in_value(&definition.ty, has_default, &argument.value)
        })
    }

    /// Values nest no deeper than the parser lets them.
    fn in_value(&self, ty: &Type, has_default: bool, value: &Node<Value>) -> Misfit {
        match &**value {
            Value::Variable(name) => self.in_place(ty, has_default, name, value),
            Value::List(items) if ty.is_list() => {
                let each = ty.item_type();
                items
                    .iter()
                    .find_map(|item| self.in_value(each, false, item))
            }
            Value::Object(fields) => {
                let object = self.schema.get_input_object(ty.inner_named_type())?;
                fields.iter().find_map(|(name, field)| {
                    let definition = object.fields.get(name)?;
                    self.in_value(&definition.ty, definition.default_value.is_some(), field)
                })
            }
            _ => None,
        }
    }

    fn in_place(&self, ty: &Type, has_default: bool, name: &Name, value: &Node<Value>) -> Misfit {
        let mut variables = self.operation.variables.iter();
        let variable = variables.find(|variable| variable.name == *name)?;
        let default = variable.default_value.as_ref();
        let is_given = default.is_some_and(|default| !default.is_null()) || has_default;
        let fits = if ty.is_non_null() && !variable.ty.is_non_null() && is_given {
            variable.ty.is_assignable_to(&ty.clone().nullable())
        } else {
            variable.ty.is_assignable_to(ty)
        };
        let message = format!(
            "variable `${name}` of type `{}` cannot be used where `{ty}` is expected",
            variable.ty
        );
        let offset = value.location().map(|span| span.offset());
        (!fits).then_some((message, offset))
    }
}
