//! The order of a list, and places in it.

use serde::{Deserialize, Serialize};

use crate::keys;
use crate::model::{Application, Field, Stored};

use super::fold::fold;

/// The field that a list is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortField {
    /// The last change, which the indexes are sorted by.
    UpdatedAt,
    /// The creation.
    CreatedAt,
    /// The date of application.
    DateApplied,
    /// The date by which an offer must be answered.
    OfferDueDate,
    /// The company, without case and accents.
    CompanyName,
    /// The rating.
    SkillsMatch,
    /// The highest salary.
    SalaryMax,
    /// Since when it has its status, if that is known.
    StatusSince,
    /// When the person acts next.
    NextActionDate,
}

/// The order of a list. Applications without a value come last in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListOrder {
    /// The field.
    pub by: SortField,
    /// Whether the highest values come first.
    pub is_descending: bool,
}

impl ListOrder {
    /// Newest changes first.
    pub const NEWEST_FIRST: Self = Self {
        by: SortField::UpdatedAt,
        is_descending: true,
    };
    /// Oldest changes first.
    pub const OLDEST_FIRST: Self = Self {
        by: SortField::UpdatedAt,
        is_descending: false,
    };

    /// The order in the name of its list, for cursors.
    pub(super) fn name(self) -> String {
        match (self.by, self.is_descending) {
            (SortField::UpdatedAt, true) => "NewestFirst".to_owned(),
            (SortField::UpdatedAt, false) => "OldestFirst".to_owned(),
            (field, true) => format!("{field:?}Descending"),
            (field, false) => format!("{field:?}Ascending"),
        }
    }
}

impl Default for ListOrder {
    fn default() -> Self {
        Self::NEWEST_FIRST
    }
}

impl SortField {
    /// The attributes that the field is read from.
    pub(super) fn attributes(self) -> &'static [&'static str] {
        match self {
            SortField::UpdatedAt => &["updatedAt"],
            SortField::CreatedAt => &["createdAt"],
            SortField::DateApplied => &["dateApplied"],
            SortField::OfferDueDate => &["offerDueDate"],
            SortField::CompanyName => &["companyName"],
            SortField::SkillsMatch => &["skillsMatch"],
            SortField::SalaryMax => &["salaryMax"],
            SortField::StatusSince => &Application::STATUS_SINCE,
            SortField::NextActionDate => &["nextActionDate"],
        }
    }

    fn value(self, application: &Application) -> Option<SortValue> {
        let details = &application.details;
        match self {
            SortField::UpdatedAt => Some(SortValue::Text(application.last_update().to_string())),
            SortField::CreatedAt => Some(SortValue::Text(application.creation().to_string())),
            SortField::DateApplied => text(&details.date_applied),
            SortField::OfferDueDate => text(&details.offer_due_date),
            SortField::CompanyName => {
                let name = details.company_name.get()?;
                Some(SortValue::Text(fold(&name).chars().take(200).collect()))
            }
            SortField::SkillsMatch => details
                .skills_match
                .get()
                .map(|n| SortValue::Number(n.into())),
            SortField::SalaryMax => details.salary_max.get().map(SortValue::Number),
            SortField::StatusSince => {
                let since = application.status_since()?;
                Some(SortValue::Text(since.to_string()))
            }
            SortField::NextActionDate => text(&details.next_action_date),
        }
    }
}

fn text<T: Stored + ToString>(field: &Field<T>) -> Option<SortValue> {
    field.get().map(|value| SortValue::Text(value.to_string()))
}

/// What one field's values are compared by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
enum SortValue {
    Number(i64),
    Text(String),
}

/// A place in a list: where an application stands whether or not it still exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListPlace {
    /// In a list that an index sorts.
    Indexed(keys::Place),
    /// In a list that is sorted here.
    Sorted(SortedPlace),
}

/// A place in a list that is sorted here: the value, then the id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SortedPlace(Option<SortValue>, String);

impl SortedPlace {
    /// Where an application stands.
    pub(super) fn of(field: SortField, application: &Application) -> Self {
        Self(field.value(application), application.id.to_string())
    }

    /// Whether this place is before another one.
    pub(super) fn compare(&self, other: &Self, is_descending: bool) -> std::cmp::Ordering {
        let by_value = match (&self.0, &other.0) {
            (Some(a), Some(b)) if is_descending => b.cmp(a),
            (Some(a), Some(b)) => a.cmp(b),
            (a, b) => a.is_none().cmp(&b.is_none()),
        };
        by_value.then(self.1.cmp(&other.1))
    }
}

impl ListPlace {
    /// For a cursor.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            ListPlace::Indexed(place) => place.to_bytes(),
            ListPlace::Sorted(place) => serde_json::to_vec(place).unwrap_or_default(),
        }
    }

    /// From the cursor of a list in this order; `None` for bytes that are not a place.
    pub fn from_bytes(order: ListOrder, bytes: &[u8]) -> Option<Self> {
        match order.by {
            SortField::UpdatedAt => keys::Place::from_bytes(bytes).map(ListPlace::Indexed),
            _ => serde_json::from_slice(bytes).ok().map(ListPlace::Sorted),
        }
    }
}
