//! From the validator's syntax tree to the one that async-graphql executes, so that a document is parsed
//! once and by one parser.

use std::collections::HashMap;

use apollo_compiler::ast::{
    self, Argument, Definition, Document, FragmentDefinition, OperationDefinition, OperationType,
};
use apollo_compiler::parser::SourceSpan;
use apollo_compiler::{Name as ReadName, Node};
use async_graphql::parser::types::{
    self as run, BaseType, DocumentOperations, ExecutableDocument, Selection, SelectionSet, Type,
    TypeCondition,
};
use async_graphql::{Name, Number, Pos, Positioned, ServerError};
use async_graphql_value::{ConstValue, Value};

use super::places::Cursor;
use crate::errors::coded;
use trestle_api::Code;

type Converted<T> = Result<T, Vec<ServerError>>;

/// The operations of a valid document in its order, each with the fragments that it uses.
pub(super) fn operations(document: &Document, text: &str) -> Converted<Vec<ExecutableDocument>> {
    let mut converter = Converter {
        at: Cursor::new(text),
        spread: Vec::new(),
    };
    let mut operations = Vec::new();
    let mut fragments = HashMap::new();
    // In the order of the text, each once.
    for definition in &document.definitions {
        match definition {
            Definition::OperationDefinition(operation) => {
                let converted = converter.operation(operation)?;
                let spread = std::mem::take(&mut converter.spread);
                operations.push((operation.name.as_ref(), converted, spread));
            }
            Definition::FragmentDefinition(fragment) => {
                let converted = converter.fragment(fragment)?;
                let spread = std::mem::take(&mut converter.spread);
                fragments.insert(word(&fragment.name), (converted, spread));
            }
            _ => {}
        }
    }
    let operations = operations
        .into_iter()
        .map(|(name, converted, spread)| ExecutableDocument {
            operations: match name {
                Some(name) => {
                    DocumentOperations::Multiple(HashMap::from([(word(name), converted)]))
                }
                None => DocumentOperations::Single(converted),
            },
            fragments: reached(&fragments, spread),
        });
    Ok(operations.collect())
}

/// A fragment, and the names of those that it spreads.
type Fragment = (Positioned<run::FragmentDefinition>, Vec<Name>);

/// The fragments that are spread, and those that they spread.
fn reached(
    fragments: &HashMap<Name, Fragment>,
    mut spread: Vec<Name>,
) -> HashMap<Name, Positioned<run::FragmentDefinition>> {
    let mut reached = HashMap::new();
    while let Some(name) = spread.pop() {
        if let Some((fragment, within)) = fragments.get(&name)
            && !reached.contains_key(&name)
        {
            spread.extend(within.iter().cloned());
            reached.insert(name, fragment.clone());
        }
    }
    reached
}

fn word(name: &ReadName) -> Name {
    Name::new(name.as_str())
}

struct Converter<'a> {
    at: Cursor<'a>,
    /// The fragments met so far, some of them several times.
    spread: Vec<Name>,
}

impl Converter<'_> {
    /// The line and column of a place, or those of the last one if it has none.
    fn pos(&mut self, location: Option<SourceSpan>) -> Pos {
        match location {
            Some(span) => self.at.go(span.offset()),
            None => self.at.pos(),
        }
    }

    fn name(&mut self, name: &ReadName) -> Positioned<Name> {
        Positioned::new(word(name), self.pos(name.location()))
    }

    fn operation(
        &mut self,
        operation: &OperationDefinition,
    ) -> Converted<Positioned<run::OperationDefinition>> {
        let pos = self.pos(operation.name.as_ref().and_then(ReadName::location));
        let variables = operation
            .variables
            .iter()
            .map(|variable| self.variable(variable));
        let variable_definitions = variables.collect::<Result<_, _>>()?;
        let converted = run::OperationDefinition {
            ty: match operation.operation_type {
                OperationType::Query => run::OperationType::Query,
                OperationType::Mutation => run::OperationType::Mutation,
                OperationType::Subscription => run::OperationType::Subscription,
            },
            variable_definitions,
            directives: self.directives(&operation.directives)?,
            selection_set: self.selections(&operation.selection_set)?,
        };
        Ok(Positioned::new(converted, pos))
    }

    fn fragment(
        &mut self,
        fragment: &FragmentDefinition,
    ) -> Converted<Positioned<run::FragmentDefinition>> {
        let pos = self.pos(fragment.name.location());
        let on = self.name(&fragment.type_condition);
        let converted = run::FragmentDefinition {
            type_condition: Positioned::new(TypeCondition { on }, pos),
            directives: self.directives(&fragment.directives)?,
            selection_set: self.selections(&fragment.selection_set)?,
        };
        Ok(Positioned::new(converted, pos))
    }

    fn variable(
        &mut self,
        variable: &Node<ast::VariableDefinition>,
    ) -> Converted<Positioned<run::VariableDefinition>> {
        let pos = self.pos(variable.location());
        let name = self.name(&variable.name);
        let default = variable.default_value.as_ref();
        let default = default.map(|value| self.constant(value)).transpose()?;
        let converted = run::VariableDefinition {
            name,
            var_type: Positioned::new(type_of(&variable.ty), pos),
            directives: self.directives(&variable.directives)?,
            default_value: default,
        };
        Ok(Positioned::new(converted, pos))
    }

    fn selections(&mut self, selections: &[ast::Selection]) -> Converted<Positioned<SelectionSet>> {
        let pos = self.at.pos();
        let items = selections.iter().map(|selection| match selection {
            ast::Selection::Field(field) => {
                let pos = self.pos(field.location());
                let field = self.field(field)?;
                Ok(Positioned::new(
                    Selection::Field(Positioned::new(field, pos)),
                    pos,
                ))
            }
            ast::Selection::FragmentSpread(spread) => {
                let pos = self.pos(spread.location());
                let fragment_name = self.name(&spread.fragment_name);
                self.spread.push(fragment_name.node.clone());
                let directives = self.directives(&spread.directives)?;
                let spread = run::FragmentSpread {
                    fragment_name,
                    directives,
                };
                Ok(Positioned::new(
                    Selection::FragmentSpread(Positioned::new(spread, pos)),
                    pos,
                ))
            }
            ast::Selection::InlineFragment(inline) => {
                let pos = self.pos(inline.location());
                let on = inline.type_condition.as_ref().map(|on| self.name(on));
                let inline = run::InlineFragment {
                    type_condition: on.map(|on| Positioned::new(TypeCondition { on }, pos)),
                    directives: self.directives(&inline.directives)?,
                    selection_set: self.selections(&inline.selection_set)?,
                };
                Ok(Positioned::new(
                    Selection::InlineFragment(Positioned::new(inline, pos)),
                    pos,
                ))
            }
        });
        let items = items.collect::<Converted<_>>()?;
        Ok(Positioned::new(SelectionSet { items }, pos))
    }

    fn field(&mut self, field: &ast::Field) -> Converted<run::Field> {
        Ok(run::Field {
            alias: field.alias.as_ref().map(|alias| self.name(alias)),
            name: self.name(&field.name),
            arguments: self.arguments(&field.arguments)?,
            directives: self.directives(&field.directives)?,
            selection_set: self.selections(&field.selection_set)?,
        })
    }

    fn directives(
        &mut self,
        directives: &ast::DirectiveList,
    ) -> Converted<Vec<Positioned<run::Directive>>> {
        let converted = directives.iter().map(|directive| {
            let pos = self.pos(directive.location());
            let name = self.name(&directive.name);
            let arguments = self.arguments(&directive.arguments)?;
            Ok(Positioned::new(run::Directive { name, arguments }, pos))
        });
        converted.collect()
    }

    fn arguments(
        &mut self,
        arguments: &[Node<Argument>],
    ) -> Converted<Vec<(Positioned<Name>, Positioned<Value>)>> {
        let converted = arguments.iter().map(|argument| {
            let name = self.name(&argument.name);
            let pos = self.pos(argument.value.location());
            Ok((name, Positioned::new(value(&argument.value, pos)?, pos)))
        });
        converted.collect()
    }

    fn constant(&mut self, node: &Node<ast::Value>) -> Converted<Positioned<ConstValue>> {
        let pos = self.pos(node.location());
        let constant = value(node, pos)?.into_const();
        let constant = constant.ok_or_else(|| refused("A default has a variable in it.", pos))?;
        Ok(Positioned::new(constant, pos))
    }
}

fn type_of(ty: &ast::Type) -> Type {
    let base = match ty {
        ast::Type::Named(name) | ast::Type::NonNullNamed(name) => BaseType::Named(word(name)),
        ast::Type::List(of) | ast::Type::NonNullList(of) => BaseType::List(Box::new(type_of(of))),
    };
    Type {
        base,
        nullable: !ty.is_non_null(),
    }
}

/// A value. Lists and objects nest no deeper than the parser lets them.
fn value(read: &ast::Value, pos: Pos) -> Converted<Value> {
    Ok(match read {
        ast::Value::Null => Value::Null,
        ast::Value::Boolean(value) => Value::Boolean(*value),
        ast::Value::String(text) => Value::String(text.clone()),
        ast::Value::Enum(name) => Value::Enum(word(name)),
        ast::Value::Variable(name) => Value::Variable(word(name)),
        // JSON has no whole number for it.
        ast::Value::Int(digits) if digits.as_str() == "-0" => Value::Number(0.into()),
        ast::Value::Int(digits) => Value::Number(number(digits.as_str(), pos)?),
        ast::Value::Float(digits) => Value::Number(number(digits.as_str(), pos)?),
        ast::Value::List(items) => Value::List(
            items
                .iter()
                .map(|item| value(item, pos))
                .collect::<Result<_, _>>()?,
        ),
        ast::Value::Object(fields) => Value::Object(
            fields
                .iter()
                .map(|(name, field)| Ok((word(name), value(field, pos)?)))
                .collect::<Converted<_>>()?,
        ),
    })
}

fn number(digits: &str, pos: Pos) -> Converted<Number> {
    digits
        .parse()
        .map_err(|_| refused("A number is too large.", pos))
}

fn refused(message: &str, pos: Pos) -> Vec<ServerError> {
    vec![coded(Code::GraphqlValidationFailed, message, Some(pos))]
}
