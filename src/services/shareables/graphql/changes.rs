//! The way in which every mutation of shareables is declared.

/// Declares mutations: the input of each, its payload, and the function that runs it at the request's desk.
macro_rules! changes {
    ($(#[$doc:meta])* $object:ident {
        $($(#[$name_doc:meta])* $name:ident($input:ty) -> $payload:ident { $field:ident: $node:ty } = $run:path,)+
    }) => {
        $($crate::payloads! {
            /// The result of the mutation.
            $payload {
                /// The changed object. `null` if there are errors.
                $field: $node
            }
        })+

        $(#[$doc])*
        #[derive(Default)]
        pub struct $object;

        $(#[$doc])*
        #[async_graphql::Object]
        impl $object {
            $($(#[$name_doc])*
            async fn $name(
                &self,
                ctx: &async_graphql::Context<'_>,
                #[graphql(desc = "Parameters of the mutation.")] input: $input,
            ) -> $crate::api::Answer<$payload> {
                let desk = $crate::services::shareables::desk::Desk::of(ctx);
                Some(async { $payload::of($run(desk?, input).await?) }.await)
            })+
        }
    };
}
pub(super) use changes;
