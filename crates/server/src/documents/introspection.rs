//! What asking for the schema may amount to. The schema's own types refer to each other in circles, so
//! a short document can ask for an answer of any size. Tools ask once for everything, which passes.

use std::collections::HashMap;

use apollo_compiler::ExecutableDocument;
use apollo_compiler::executable::{Selection, SelectionSet};
use async_graphql::ServerError;

use super::work::Work;
use crate::errors::coded;
use trestle_api::Code;

/// Lists within lists that lead back to types: tools need one, people looking around two.
const MOST_LISTS_DEEP: u64 = 2;
/// Objects in the answer, by the estimates below. Tools' complete query comes to about 170,000.
const MOST_OBJECTS: u64 = 1_000_000;
/// Assumed number of types.
const TYPES: u64 = 100;
/// Assumed length of any other list of the schema's.
const LIST: u64 = 10;

#[derive(Clone, Copy, Default)]
struct Weight {
    lists_deep: u64,
    objects: u64,
}

/// Refuses an operation that goes round in circles through the schema.
pub(super) fn check(document: &ExecutableDocument, work: &Work) -> Result<(), Vec<ServerError>> {
    let mut scale = Scale {
        document,
        known: HashMap::new(),
        work,
    };
    for operation in document.operations.iter() {
        let weight = scale.selections(&operation.selection_set);
        if weight.lists_deep > MOST_LISTS_DEEP || weight.objects > MOST_OBJECTS {
            let message = "The operation asks for more of the schema than it may at once.";
            return Err(vec![coded(Code::GraphqlValidationFailed, message, None)]);
        }
    }
    Ok(())
}

struct Scale<'a> {
    document: &'a ExecutableDocument,
    known: HashMap<&'a str, Weight>,
    work: &'a Work,
}

impl<'a> Scale<'a> {
    fn selections(&mut self, set: &'a SelectionSet) -> Weight {
        let mut sum = Weight::default();
        for selection in &set.selections {
            if !self.work.step() {
                return sum;
            }
            let weight = match selection {
                Selection::InlineFragment(inline) => self.selections(&inline.selection_set),
                Selection::FragmentSpread(spread) => self.fragment(&spread.fragment_name),
                Selection::Field(field) => {
                    let mut weight = self.selections(&field.selection_set);
                    if set.ty.starts_with("__") {
                        let many = match field.name.as_str() {
                            "types" => TYPES,
                            _ if field.ty().is_list() => LIST,
                            _ => 1,
                        };
                        weight.objects = weight.objects.saturating_add(1).saturating_mul(many);
                        weight.lists_deep += u64::from(leads_back(&field.name));
                    }
                    weight
                }
            };
            sum.lists_deep = sum.lists_deep.max(weight.lists_deep);
            sum.objects = sum.objects.saturating_add(weight.objects);
        }
        sum
    }

    /// Fragments that spread themselves were refused with the limits.
    fn fragment(&mut self, name: &str) -> Weight {
        let Some((name, fragment)) = self.document.fragments.get_key_value(name) else {
            return Weight::default();
        };
        if let Some(known) = self.known.get(name.as_str()) {
            return *known;
        }
        let weight = self.selections(&fragment.selection_set);
        self.known.insert(name, weight);
        weight
    }
}

/// Whether a field of `__Type` is a list whose elements have types again.
fn leads_back(field: &str) -> bool {
    matches!(
        field,
        "fields" | "inputFields" | "interfaces" | "possibleTypes"
    )
}
