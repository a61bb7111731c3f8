//! Arguments that a block leaves out, or calls as an earlier version of its provider does.

use std::sync::Arc;

use super::of;
use crate::graph::Values;
use crate::value::Value;
use crate::versions::Version;

/// The values of an instance with what the version of its provider makes of them; the same for instances that are equal.
#[derive(Default)]
pub struct Completed {
    of: Option<Arc<Vec<Values>>>,
    pub values: Arc<Vec<Values>>,
}

impl Completed {
    /// `default` decides which of the defaults of a flag counts, if that is known.
    pub fn of(
        self,
        type_name: &str,
        values: &Arc<Vec<Values>>,
        default: impl Fn(&[(Version, bool)]) -> Option<bool>,
    ) -> Self {
        if self.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, values)) {
            return self;
        }
        let mut completed = Arc::clone(values);
        if let Some(row) = of(type_name)
            && !(row.renamed.is_empty() && row.defaults.is_empty())
        {
            for values in Arc::make_mut(&mut completed) {
                for (before, now) in row.renamed {
                    if is_left_out(values, now)
                        && let Some(value) = values.get(*before).cloned()
                    {
                        values.insert((*now).to_owned(), value);
                    }
                }
                for flag in row.defaults {
                    if is_left_out(values, flag.path)
                        && let Some(value) = default(flag.since)
                    {
                        values.insert(flag.path.to_owned(), Value::Bool(value));
                    }
                }
            }
        }
        Self {
            of: Some(Arc::clone(values)),
            values: completed,
        }
    }
}

fn is_left_out(values: &Values, path: &str) -> bool {
    matches!(values.get(path), None | Some(Value::Null))
}
