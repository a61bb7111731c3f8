//! What an operation may cost and how many bytes it may answer, estimated before it runs: one for each object, and
//! the bounds of the fields' types; page sizes multiply. Sizes that variables decide are evaluated for each request.

use std::collections::HashMap;
use std::sync::Arc;

use apollo_compiler::ast::OperationType;
use apollo_compiler::executable::{Field, Selection, SelectionSet};
use apollo_compiler::response::JsonMap;
use apollo_compiler::validation::Valid;
use apollo_compiler::{ExecutableDocument, Schema};
use async_graphql::ServerError;

use super::sizes::{Size, assumed_size, list_argument, page_of};
use super::work::Work;
use crate::errors::coded;
use trestle_api::{Code, federation};

/// Bytes of JSON around a field: quotes, colon, comma, and the braces of an object.
const AROUND: u64 = 6;
/// Bytes of a string of unknown length. The longest texts that services store have some 10,000 characters.
const TEXT: u64 = 16 * 1024;
/// Bytes of an enum's value.
const WORD: u64 = 64;
/// What a mutation's field costs before what it answers: a write is dearer than a read.
const MUTATION: u64 = 10;
/// What asking for the schema costs: it reads nothing.
const INTROSPECTION: u64 = 10;

/// What one operation costs.
#[derive(Clone, Debug)]
pub(super) struct Cost {
    total: Sum,
    /// What sums have in common, each after those that it contains: a fragment that is spread often is here once.
    shared: Arc<[Sum]>,
}

/// Numbers, and products of shared sums with sizes that a request decides.
#[derive(Clone, Debug, Default)]
struct Sum {
    cost: u64,
    bytes: u64,
    products: Vec<(Size, Shared)>,
}

/// A sum's place among those that are shared.
type Shared = usize;

/// What one request may cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimated {
    /// About one for each object.
    pub cost: u64,
    /// Bytes of the answer.
    pub bytes: u64,
}

impl Cost {
    /// The cost of a request with these variables.
    pub(super) fn evaluate(&self, variables: &JsonMap) -> Estimated {
        let mut known = Vec::with_capacity(self.shared.len());
        for sum in &*self.shared {
            known.push(sum.evaluate(variables, &known));
        }
        self.total.evaluate(variables, &known)
    }

    /// Refuses what is too dear whatever the variables are.
    pub(super) fn check_fixed(&self, most: u64) -> Result<(), Vec<ServerError>> {
        if self.total.cost > most {
            return Err(vec![too_dear(self.total.cost, most)]);
        }
        Ok(())
    }
}

impl Sum {
    fn evaluate(&self, variables: &JsonMap, known: &[Estimated]) -> Estimated {
        let mut sum = Estimated {
            cost: self.cost,
            bytes: self.bytes,
        };
        for (size, shared) in &self.products {
            let (size, each) = (size.of(variables), known[*shared]);
            sum.cost = sum.cost.saturating_add(size.saturating_mul(each.cost));
            sum.bytes = sum.bytes.saturating_add(size.saturating_mul(each.bytes));
        }
        sum
    }

    fn is_empty(&self) -> bool {
        self.cost == 0 && self.bytes == 0 && self.products.is_empty()
    }

    fn add(&mut self, other: Sum) {
        self.cost = self.cost.saturating_add(other.cost);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.products.extend(other.products);
    }
}

/// The error of an operation that costs more than one may.
pub(super) fn too_dear(cost: u64, most: u64) -> ServerError {
    let message = format!(
        "The operation may cost {cost}, more than {most}. Ask for smaller pages or fewer nested lists."
    );
    coded(Code::GraphqlValidationFailed, message, None)
}

/// The cost of every operation of a document, in its order.
pub(super) fn of_operations(
    document: &ExecutableDocument,
    schema: &Valid<Schema>,
    work: &Work,
) -> Vec<Cost> {
    let mut estimate = Estimate {
        document,
        schema,
        shared: Vec::new(),
        known: HashMap::new(),
        work,
    };
    let mut totals = Vec::new();
    for operation in document.operations.iter() {
        let each = match operation.operation_type {
            OperationType::Mutation => MUTATION,
            OperationType::Query | OperationType::Subscription => 1,
        };
        let selected = estimate.selections(&operation.selection_set);
        let mut total = estimate.within(selected.fields, None);
        total.cost = total
            .cost
            .saturating_add(each.saturating_mul(selected.count));
        totals.push(total);
    }
    let shared: Arc<[Sum]> = estimate.shared.into();
    let costs = totals.into_iter().map(|total| Cost {
        total,
        shared: Arc::clone(&shared),
    });
    costs.collect()
}

/// A selection, or a fragment, wherever it is.
#[derive(Clone, Default)]
struct Selected {
    /// Its fields, except those that ask for the schema. Numbers saturate.
    count: u64,
    fields: Fields,
}

/// What fields cost: it depends on the page that the field around them was asked for.
#[derive(Clone, Default)]
struct Fields {
    /// What each costs that is not a list with the size of the page around it.
    always: Sum,
    /// One element of each list with the size of the page around it (`edges`).
    element: Sum,
    /// The same lists where there is no page around them.
    without_page: Sum,
}

struct Estimate<'a> {
    document: &'a ExecutableDocument,
    schema: &'a Valid<Schema>,
    shared: Vec<Sum>,
    /// The fragments met so far.
    known: HashMap<&'a str, Selected>,
    work: &'a Work,
}

impl<'a> Estimate<'a> {
    fn selections(&mut self, set: &'a SelectionSet) -> Selected {
        let mut selected = Selected::default();
        for selection in &set.selections {
            if !self.work.step() {
                return selected;
            }
            match selection {
                Selection::Field(field) => self.field(field, &mut selected),
                Selection::InlineFragment(inline) => {
                    selected.add(self.selections(&inline.selection_set));
                }
                Selection::FragmentSpread(spread) => {
                    selected.add(self.fragment(&spread.fragment_name));
                }
            }
        }
        selected
    }

    /// Each fragment is read once. Fragments that spread themselves were refused with the limits.
    fn fragment(&mut self, name: &str) -> Selected {
        let Some((name, fragment)) = self.document.fragments.get_key_value(name) else {
            return Selected::default();
        };
        if let Some(known) = self.known.get(name.as_str()) {
            return known.clone();
        }
        let Selected { count, fields } = self.selections(&fragment.selection_set);
        let fields = Fields {
            always: self.share(fields.always),
            element: self.share(fields.element),
            without_page: self.share(fields.without_page),
        };
        let selected = Selected { count, fields };
        self.known.insert(name, selected.clone());
        selected
    }

    fn field(&mut self, field: &'a Field, selected: &mut Selected) {
        if matches!(
            field.name.as_str(),
            "__schema" | "__type" | federation::SERVICE
        ) {
            selected.fields.always.add(Sum {
                cost: INTROSPECTION,
                // Its bytes follow from the schema, not from pages.
                bytes: u64::MAX,
                ..Sum::default()
            });
            return;
        }
        selected.count = selected.count.saturating_add(1);
        let def = field.inner_type_def(self.schema);
        let is_object =
            def.is_some_and(|def| def.is_object() || def.is_interface() || def.is_union());
        let page = page_of(field);
        let within = self.selections(&field.selection_set);
        let mut cost = self.within(within.fields, page.as_ref());
        let key = (field.response_key().len() as u64).saturating_add(AROUND);
        cost.bytes = cost.bytes.saturating_add(key);
        let list = assumed_size(field);
        if !is_object {
            let each = match def {
                Some(def) if def.is_enum() => WORD,
                _ => scalar_bytes(field.ty().inner_named_type().as_str()),
            };
            let items = if field.ty().is_list() { list } else { 1 };
            cost.bytes = cost.bytes.saturating_add(each.saturating_mul(items));
            selected.fields.always.add(cost);
            return;
        }
        cost.cost = cost.cost.saturating_add(1);
        if !field.ty().is_list() {
            selected.fields.always.add(cost);
        } else if let Some(page) = page {
            let cost = self.times(cost, &page);
            selected.fields.always.add(cost);
        } else {
            let size = list_argument(field).unwrap_or(Size::Fixed(list));
            let element = self.share(cost);
            let without_page = self.times(element.clone(), &size);
            selected.fields.element.add(element);
            selected.fields.without_page.add(without_page);
        }
    }

    /// The cost of fields within a field that was asked for a page.
    fn within(&mut self, fields: Fields, page: Option<&Size>) -> Sum {
        let mut sum = fields.always;
        sum.add(match page {
            Some(page) => self.times(fields.element, page),
            None => fields.without_page,
        });
        sum
    }

    fn times(&mut self, sum: Sum, size: &Size) -> Sum {
        match size {
            Size::Fixed(1) => sum,
            Size::Fixed(size) if sum.products.is_empty() => Sum {
                cost: sum.cost.saturating_mul(*size),
                bytes: sum.bytes.saturating_mul(*size),
                products: Vec::new(),
            },
            // Nothing, whatever the size is.
            _ if sum.is_empty() => sum,
            size => Sum {
                products: vec![(size.clone(), self.place(sum))],
                ..Sum::default()
            },
        }
    }

    /// The same sum with one product at most, so that it is as short wherever it is added.
    fn share(&mut self, mut sum: Sum) -> Sum {
        if sum.products.len() > 1 {
            let products = std::mem::take(&mut sum.products);
            let shared = self.place(Sum {
                products,
                ..Sum::default()
            });
            sum.products = vec![(Size::Fixed(1), shared)];
        }
        sum
    }

    fn place(&mut self, sum: Sum) -> Shared {
        self.shared.push(sum);
        self.shared.len() - 1
    }
}

impl Selected {
    fn add(&mut self, other: Selected) {
        self.count = self.count.saturating_add(other.count);
        self.fields.always.add(other.fields.always);
        self.fields.element.add(other.fields.element);
        self.fields.without_page.add(other.fields.without_page);
    }
}

/// The longest value that a scalar is expected to have, as JSON. A service's own scalar counts as a text.
fn scalar_bytes(name: &str) -> u64 {
    match name {
        "Boolean" => 5,
        "Int" | "Float" => 24,
        "Date" | "DateTime" | "UUID" => 40,
        "ID" => 256,
        "URL" => 2048,
        _ => TEXT,
    }
}
