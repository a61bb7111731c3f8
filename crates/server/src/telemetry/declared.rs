//! Metrics that are declared once: the field, its type, how it begins, its name and its help text.

/// Declares a struct of metrics. The library appends `_total` to counters, and the full stop to each help text. Clones
/// count into the same ones.
macro_rules! declared {
    ($(#[$doc:meta])* $name:ident {
        $($field:ident: $type:ty = $make:expr, $metric:literal, $help:literal;)+
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub(super) struct $name {
            $($field: $type,)+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $make,)+ }
            }
        }

        impl $name {
            pub(super) fn register(&self, registry: &mut prometheus_client::registry::Registry) {
                $(registry.register($metric, $help, self.$field.clone());)+
            }
        }
    };
}

pub(super) use declared;
