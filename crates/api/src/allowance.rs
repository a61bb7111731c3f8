//! A bound on the bytes of one answer, kept while the answer is put together.
//!
//! The server marks the leaves of an operation that could exceed the bound with the directive [`Counted`]. It is not
//! part of the schema: clients cannot send it.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use async_graphql::extensions::ResolveFut;
use async_graphql::parser::types::Directive;
use async_graphql::registry::Registry;
use async_graphql::{
    Context, ContextDirective, CustomDirective, CustomDirectiveFactory, ServerError, ServerResult,
    Value,
};
use futures_util::future::BoxFuture;

/// Bytes of JSON around a field: two quotes, a colon, a comma.
const PUNCTUATION: usize = 4;

/// Bytes after which a growing answer asks for room.
const STEP: usize = 128 * 1024;

/// The bytes that an answer may still have. Clones count together.
#[derive(Clone, Debug)]
pub struct Allowance {
    most: usize,
    left: Arc<AtomicUsize>,
    budget: Option<Budget>,
}

/// Bounds the memory of all answers together.
pub trait AnswerBudget: Send + Sync {
    /// An answer has grown to so many bytes. What it waits for before it grows on, if it has to wait.
    fn grown(&self, bytes: usize) -> Option<BoxFuture<'_, ()>>;
}

#[derive(Clone)]
struct Budget(Arc<dyn AnswerBudget>);

impl std::fmt::Debug for Budget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Budget")
    }
}

impl Allowance {
    /// An answer of at most so many bytes.
    pub fn new(bytes: usize) -> Self {
        Self {
            most: bytes,
            left: Arc::new(AtomicUsize::new(bytes)),
            budget: None,
        }
    }

    /// The same, which waits while all answers together have too many bytes.
    pub fn within(self, budget: Arc<dyn AnswerBudget>) -> Self {
        Self {
            budget: Some(Budget(budget)),
            ..self
        }
    }

    /// Whether the answer was too large. It never fits again.
    pub fn is_exceeded(&self) -> bool {
        self.left.load(Relaxed) == 0
    }

    /// Allows so many bytes again, for the next answer.
    pub fn renew(&self, bytes: usize) {
        self.left.store(bytes, Relaxed);
    }

    async fn take(&self, bytes: usize) -> bool {
        let before = self
            .left
            .fetch_update(Relaxed, Relaxed, |left| Some(left.saturating_sub(bytes)));
        let Ok(before) = before else { return false };
        let (had, has) = (
            self.most.saturating_sub(before),
            self.most.saturating_sub(before.saturating_sub(bytes)),
        );
        if had / STEP != has / STEP
            && let Some(Budget(budget)) = &self.budget
            && let Some(room) = budget.grown(has)
        {
            room.await;
        }
        before > bytes
    }
}

/// The directive of a field whose bytes are counted. Without an [`Allowance`] in the request it has no effect.
#[derive(Clone, Copy, Debug)]
pub struct Counted;

impl Counted {
    /// The directive's name. GraphQL reserves names that begin with two underscores, so that no document has it.
    pub const NAME: &str = "__counted";
}

impl CustomDirectiveFactory for Counted {
    fn name(&self) -> Cow<'static, str> {
        Self::NAME.into()
    }

    fn register(&self, _registry: &mut Registry) {}

    fn create(
        &self,
        _ctx: &ContextDirective<'_>,
        _directive: &Directive,
    ) -> ServerResult<Box<dyn CustomDirective>> {
        Ok(Box::new(Counted))
    }
}

#[async_trait::async_trait]
impl CustomDirective for Counted {
    async fn resolve_field(
        &self,
        ctx: &Context<'_>,
        resolve: ResolveFut<'_>,
    ) -> ServerResult<Option<Value>> {
        let Some(allowance) = ctx.data_opt::<Allowance>() else {
            return resolve.await;
        };
        let exceeded = || ServerError::new("The answer is too large.", Some(ctx.item.pos));
        if allowance.is_exceeded() {
            return Err(exceeded());
        }
        let value = resolve.await?;
        let key = ctx.item.node.response_key().node.len() + PUNCTUATION;
        if allowance.take(key + value.as_ref().map_or(4, leaf)).await {
            Ok(value)
        } else {
            Err(exceeded())
        }
    }
}

/// The bytes of a leaf as JSON. The fields of an object count for themselves.
fn leaf(value: &Value) -> usize {
    match value {
        Value::Null => 4,
        Value::Boolean(_) => 5,
        Value::Number(_) => 20,
        Value::Enum(name) => name.len() + 2,
        Value::Binary(bytes) => bytes.len() * 4 + 2,
        Value::String(text) => text.bytes().map(escaped).sum::<usize>() + 2,
        Value::List(items) => items.iter().map(|item| leaf(item) + 1).sum::<usize>() + 2,
        Value::Object(_) => 2,
    }
}

/// The bytes of one byte of a string. Source: RFC 8259 section 7.
fn escaped(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0..0x20 => 6,
        _ => 1,
    }
}
