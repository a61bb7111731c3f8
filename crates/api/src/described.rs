//! The description of a schema, which async-graphql has no place for: it returns a sentence of the specification.

use std::borrow::Cow;

use async_graphql::extensions::ResolveFut;
use async_graphql::parser::types::Directive;
use async_graphql::registry::Registry;
use async_graphql::{
    Context, ContextDirective, CustomDirective, CustomDirectiveFactory, ServerResult, Value,
};

/// What the API of a service is for. Data of its schema.
#[derive(Clone, Copy, Debug)]
pub struct SchemaDescription(pub &'static str);

/// The directive that the server puts on `__schema { description }`. It is not part of the schema: clients cannot send it.
#[derive(Clone, Copy, Debug)]
pub struct Described;

impl Described {
    /// The directive's name. GraphQL reserves names that begin with two underscores, so that no document has it.
    pub const NAME: &str = "__described";
}

impl CustomDirectiveFactory for Described {
    fn name(&self) -> Cow<'static, str> {
        Self::NAME.into()
    }

    fn register(&self, _registry: &mut Registry) {}

    fn create(
        &self,
        _ctx: &ContextDirective<'_>,
        _directive: &Directive,
    ) -> ServerResult<Box<dyn CustomDirective>> {
        Ok(Box::new(Described))
    }
}

#[async_trait::async_trait]
impl CustomDirective for Described {
    async fn resolve_field(
        &self,
        ctx: &Context<'_>,
        _resolve: ResolveFut<'_>,
    ) -> ServerResult<Option<Value>> {
        let description = ctx.data_opt::<SchemaDescription>();
        Ok(description.map(|description| Value::String(description.0.to_owned())))
    }
}
