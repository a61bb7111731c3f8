//! Descriptions of operations, fragments and variables, which the parser does not know. They mean nothing to the
//! server. Source: the GraphQL specification of September 2025, "Descriptions".

use std::borrow::Cow;

use apollo_parser::{Lexer, Token, TokenKind};

/// The text with spaces in place of descriptions, so that every other place stays where it is.
pub(super) fn without(text: &str) -> Cow<'_, str> {
    // Most documents have no string before their first brace and need no second look.
    if !text.contains('"') {
        return text.into();
    }
    let tokens: Vec<_> = Lexer::new(text)
        .filter_map(Result::ok)
        .filter(|token| !is_ignored(token.kind()))
        .collect();
    let (mut braces, mut parentheses) = (0_usize, 0_usize);
    let mut described: Vec<&Token<'_>> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind() {
            TokenKind::LCurly => braces += 1,
            TokenKind::RCurly => braces = braces.saturating_sub(1),
            TokenKind::LParen => parentheses += 1,
            TokenKind::RParen => parentheses = parentheses.saturating_sub(1),
            TokenKind::StringValue if braces == 0 => {
                let next = tokens.get(at + 1);
                let before = at.checked_sub(1).and_then(|at| tokens.get(at));
                let is_description = match parentheses {
                    0 => next.is_some_and(|next| begins_definition(next)),
                    1 => {
                        next.is_some_and(|next| next.kind() == TokenKind::Dollar)
                            && before.is_some_and(|before| before.kind() != TokenKind::Eq)
                    }
                    _ => false,
                };
                if is_description {
                    described.push(token);
                }
            }
            _ => {}
        }
    }
    if described.is_empty() {
        return text.into();
    }
    let mut blank = text.to_owned();
    for token in described {
        let spaces: String = token
            .data()
            .chars()
            .map(|char| match char {
                '\n' | '\r' => char.to_string(),
                char => " ".repeat(char.len_utf8()),
            })
            .collect();
        blank.replace_range(token.index()..token.index() + token.data().len(), &spaces);
    }
    blank.into()
}

fn begins_definition(token: &Token<'_>) -> bool {
    matches!(
        token.data(),
        "query" | "mutation" | "subscription" | "fragment"
    )
}

fn is_ignored(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Whitespace | TokenKind::Comment | TokenKind::Comma | TokenKind::Eof
    )
}
