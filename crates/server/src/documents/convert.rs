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

use crate::errors::coded;
use trestle_api::Code;

type Converted<T> = Result<T, Vec<ServerError>>;

/// One operation and the fragments that it uses. The document is valid.
pub(super) fn operation(
    document: &Document,
    operation: &OperationDefinition,
    text: &str,
) -> Converted<ExecutableDocument> {
    let mut converter = Converter {
        text,
        at: Cursor::START,
        spread: Vec::new(),
    };
    let converted = converter.operation(operation)?;
    let mut fragments = HashMap::new();
    let mut next = 0;
    while let Some(name) = converter.spread.get(next).cloned() {
        next += 1;
        if let Some(fragment) = fragment(document, &name)
            && !fragments.contains_key(&name)
        {
            fragments.insert(name, converter.fragment(fragment)?);
        }
    }
    let operations = match &operation.name {
        Some(name) => DocumentOperations::Multiple(HashMap::from([(word(name), converted)])),
        None => DocumentOperations::Single(converted),
    };
    Ok(ExecutableDocument {
        operations,
        fragments,
    })
}

fn fragment<'a>(document: &'a Document, name: &str) -> Option<&'a FragmentDefinition> {
    document
        .definitions
        .iter()
        .find_map(|definition| match definition {
            Definition::FragmentDefinition(fragment) if fragment.name == name => Some(&**fragment),
            _ => None,
        })
}

fn word(name: &ReadName) -> Name {
    Name::new(name.as_str())
}

struct Converter<'a> {
    text: &'a str,
    at: Cursor,
    /// The fragments met so far, some of them several times.
    spread: Vec<Name>,
}

/// A place in the text, with its line and column counted from one.
#[derive(Clone, Copy)]
struct Cursor {
    offset: usize,
    pos: Pos,
}

impl Cursor {
    const START: Self = Self {
        offset: 0,
        pos: Pos { line: 1, column: 1 },
    };
}

impl Converter<'_> {
    /// The line and column of a place. Nodes come in the order of the text, so that each character is
    /// counted about once.
    fn pos(&mut self, location: Option<SourceSpan>) -> Pos {
        let Some(offset) = location.map(|span| span.offset()) else {
            return self.at.pos;
        };
        if offset < self.at.offset {
            self.at = Cursor::START;
        }
        for char in self
            .text
            .get(self.at.offset..offset)
            .unwrap_or_default()
            .chars()
        {
            match char {
                '\n' => {
                    self.at.pos = Pos {
                        line: self.at.pos.line + 1,
                        column: 1,
                    }
                }
                _ => self.at.pos.column += 1,
            }
        }
        self.at.offset = offset;
        self.at.pos
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
        let default = variable.default_value.as_ref();
        let default = default.map(|value| self.constant(value)).transpose()?;
        let converted = run::VariableDefinition {
            name: self.name(&variable.name),
            var_type: Positioned::new(type_of(&variable.ty), pos),
            directives: self.directives(&variable.directives)?,
            default_value: default,
        };
        Ok(Positioned::new(converted, pos))
    }

    fn selections(&mut self, selections: &[ast::Selection]) -> Converted<Positioned<SelectionSet>> {
        let pos = self.at.pos;
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
