//! Patches of single fields, and the rules that they break.

use trestle_domain::{Change, Rule, Violation, Violations};

use super::{Field, Stored};

/// Collects every rule that an input breaks.
#[derive(Debug, Default)]
pub(super) struct Check {
    violations: Violations,
    is_creating: bool,
}

impl Check {
    /// For something new, whose required fields must be set.
    pub(super) fn creating() -> Self {
        Self {
            is_creating: true,
            ..Self::default()
        }
    }

    /// Changes a field that must have a value.
    pub(super) fn required<R, T: Stored + PartialEq>(
        &mut self,
        name: &'static str,
        field: &mut Field<T>,
        change: Change<R>,
        parse: impl FnOnce(R) -> Result<T, Rule>,
    ) {
        match change {
            Change::Unchanged if self.is_creating && field.is_empty() => {
                self.refuse(name, Rule::Required)
            }
            Change::Unchanged => {}
            Change::Clear => self.refuse(name, Rule::Required),
            Change::Set(raw) => match parse(raw) {
                Ok(value) => field.set(&value),
                Err(rule) => self.refuse(name, rule),
            },
        }
    }

    /// Changes a field that may be empty. Blank text empties it.
    pub(super) fn optional<R, T: Stored + PartialEq>(
        &mut self,
        name: &'static str,
        field: &mut Field<T>,
        change: Change<R>,
        parse: impl FnOnce(R) -> Result<T, Rule>,
    ) {
        match change {
            Change::Unchanged => {}
            Change::Clear => *field = Field::default(),
            Change::Set(raw) => match parse(raw) {
                Ok(value) => field.set(&value),
                Err(Rule::Required) => *field = Field::default(),
                Err(rule) => self.refuse(name, rule),
            },
        }
    }

    /// Notes a broken rule.
    pub(super) fn refuse(&mut self, field: &'static str, rule: Rule) {
        self.violations.push(Violation { field, rule });
    }

    /// `checked`, if no rule is broken.
    pub(super) fn finish<T>(self, checked: T) -> Result<T, Violations> {
        if self.violations.is_empty() {
            Ok(checked)
        } else {
            Err(self.violations)
        }
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
                $(check.required($required_name, &mut next.$required, self.$required, $required_parse);)+
                $(check.optional($name, &mut next.$field, self.$field, $parse);)+
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
