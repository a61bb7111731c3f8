//! The first look at a document: its bytes and tokens, before anything recurses. Stops at the limit.

use apollo_parser::{Lexer, TokenKind};
use async_graphql::ServerError;

use crate::config::DocumentArgs;
use crate::errors::coded;
use trestle_api::Code;

/// Refuses a document with more bytes than allowed.
pub(super) fn check_bytes(text: &str, limits: &DocumentArgs) -> Result<(), ServerError> {
    if text.len() > limits.max_document_bytes {
        return Err(too_large(limits.max_document_bytes, "bytes"));
    }
    Ok(())
}

/// Counts the tokens of a document and refuses more than allowed. Spaces, commas and comments are not counted; the
/// bytes bound them. What is not a token is left for the parser to report.
pub(super) fn check_tokens(text: &str, limits: &DocumentArgs) -> Result<usize, ServerError> {
    let tokens = Lexer::new(text)
        .filter(|token| !matches!(token, Ok(token) if is_ignored(token.kind())))
        .take(limits.max_tokens.saturating_add(1));
    let count = tokens.count();
    if count > limits.max_tokens {
        return Err(too_large(limits.max_tokens, "tokens"));
    }
    Ok(count)
}

fn is_ignored(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Whitespace | TokenKind::Comment | TokenKind::Comma | TokenKind::Eof
    )
}

fn too_large(most: usize, of: &str) -> ServerError {
    let message = format!("The document has more than {most} {of}.");
    coded(Code::GraphqlValidationFailed, message, None)
}
