//! Patches of single fields, and the rules that they break.

use trestle_domain::{Change, Check, Rule};

use super::{Field, Stored};

/// Changes a field that must have a value.
pub(super) fn required<R, T: Stored + PartialEq>(
    check: &mut Check,
    name: &'static str,
    field: &mut Field<T>,
    change: Change<R>,
    parse: impl FnOnce(R) -> Result<T, Rule>,
) {
    let given = match change {
        Change::Unchanged => return,
        Change::Clear => Err(Rule::Required),
        Change::Set(raw) => parse(raw),
    };
    if let Some(value) = check.need(name, given) {
        field.set(&value);
    }
}

/// Changes a field that may be empty. Blank text empties it.
pub(super) fn optional<R, T: Stored + PartialEq>(
    check: &mut Check,
    name: &'static str,
    field: &mut Field<T>,
    change: Change<R>,
    parse: impl FnOnce(R) -> Result<T, Rule>,
) {
    let given = match change {
        Change::Unchanged => return,
        Change::Clear => Err(Rule::Required),
        Change::Set(raw) => parse(raw),
    };
    if given == Err(Rule::Required) {
        *field = Field::default();
    } else if let Some(value) = check.need(name, given) {
        field.set(&value);
    }
}

/// Declares a patch of a type: each field with its name in violations, what it is given, and how that is parsed; and what
/// a patch has beside them.
macro_rules! patch {
    ($(#[$doc:meta])* $patch:ident of $type:ident {
        $($required:ident $required_name:literal: $required_raw:ty = $required_parse:expr,)+
    } optional {
        $($field:ident $name:literal: $raw:ty = $parse:expr,)+
    } $(beside {
        $($(#[$beside_doc:meta])* $beside:ident: $beside_type:ty,)+
    })?) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $patch {
            $(pub $required: Change<$required_raw>,)+
            $(pub $field: Change<$raw>,)+
            $($($(#[$beside_doc])* pub $beside: $beside_type,)+)?
        }

        impl $patch {
            /// Changes the fields that it sets, and notes the rules that it breaks.
            fn patch(self, next: &mut $type, check: &mut Check) {
                $(required(check, $required_name, &mut next.$required, self.$required, $required_parse);)+
                $(optional(check, $name, &mut next.$field, self.$field, $parse);)+
            }

            /// The same patch of something new, which refuses to leave a required field `empty`.
            fn creating(mut self, empty: &$type) -> Self {
                $(if self.$required == Change::Unchanged && empty.$required.is_empty() {
                    self.$required = Change::Clear;
                })+
                self
            }
        }

        impl $type {
            /// The fields of a patch whose stored values cannot be read, or are missing although there must be one.
            pub fn unreadable(&self) -> Vec<&'static str> {
                let mut unreadable = Vec::new();
                $(if self.$required.get().is_none() {
                    unreadable.push($required_name);
                })+
                $(if self.$field.read().is_err() {
                    unreadable.push($name);
                })+
                unreadable
            }
        }
    };
}

pub(super) use patch;
