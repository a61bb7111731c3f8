//! Lines and columns of places in a document, kept for errors that are found when it runs.

use apollo_compiler::ast::OperationDefinition;
use async_graphql::Pos;

/// The places of an operation's variables.
#[derive(Debug, Default)]
pub(super) struct Places(Vec<(String, Pos)>);

impl Places {
    /// Of this operation, read from `text`.
    pub(super) fn of(operation: &OperationDefinition, text: &str) -> Self {
        let mut cursor = Cursor::new(text);
        let places = operation.variables.iter().filter_map(|variable| {
            let at = cursor.go(variable.location()?.offset());
            Some((variable.name.to_string(), at))
        });
        Self(places.collect())
    }

    /// The variable that the validator's message names. It has no other way to say which.
    pub(super) fn named_in(&self, message: &str) -> Option<Pos> {
        let mut words = message.split([' ', ':', '\'']);
        let mut names = words
            .by_ref()
            .skip_while(|word| *word != "variable")
            .skip(1);
        let name = names.find(|word| !word.is_empty())?;
        self.of_variable(name)
    }

    /// The variable of this name.
    pub(super) fn of_variable(&self, name: &str) -> Option<Pos> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, pos)| *pos)
    }
}

/// A place that moves through a text. Places that are asked for in the order of the text count each character once.
pub(super) struct Cursor<'a> {
    text: &'a str,
    offset: usize,
    pos: Pos,
}

impl<'a> Cursor<'a> {
    const START: Pos = Pos { line: 1, column: 1 };

    /// At the beginning.
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            offset: 0,
            pos: Self::START,
        }
    }

    /// Where it is.
    pub(super) fn pos(&self) -> Pos {
        self.pos
    }

    /// The line and column of an offset, to which it moves.
    pub(super) fn go(&mut self, offset: usize) -> Pos {
        if offset < self.offset {
            *self = Self::new(self.text);
        }
        let passed = self.text.get(self.offset..offset).unwrap_or_default();
        for char in passed.chars() {
            if char == '\n' {
                self.pos.line += 1;
                self.pos.column = 1;
            } else {
                self.pos.column += 1;
            }
        }
        self.offset = offset;
        self.pos
    }
}

/// The line and column of an offset, counted from one.
pub(super) fn pos(text: &str, offset: usize) -> Pos {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Pos {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}
