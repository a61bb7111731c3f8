//! Why a unit of work was not committed.

use super::step::Planned;
use super::{ChangeError, Reason, TableError};

/// The token of a step of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step(pub(super) usize);

/// Why a unit was not committed.
#[derive(Debug, thiserror::Error)]
pub enum UnitError<R> {
    /// A condition does not hold, or another write is in progress on one of the items. Nothing was written.
    #[error("the unit was cancelled: {0}")]
    Canceled(Canceled<R>),
    /// The call failed.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// The reasons of a cancelled unit, step by step.
#[derive(Debug)]
pub struct Canceled<R> {
    pub(super) steps: Vec<Planned>,
    pub(super) reasons: Vec<Option<Reason>>,
    pub(super) refusals: Vec<Option<R>>,
}

impl<R> std::fmt::Display for Canceled<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.reasons)
    }
}

impl<R> Canceled<R> {
    /// Why this step failed; `None` if it did not.
    pub fn at(&self, step: Step) -> Option<&Reason> {
        self.reasons.get(step.0)?.as_ref()
    }

    /// The refusal of the first step whose condition does not hold.
    pub fn refusal(&mut self) -> Option<R> {
        let first = (0..self.reasons.len())
            .map(Step)
            .find(|step| self.fails(*step))?;
        self.refusals.get_mut(first.0)?.take()
    }

    /// Whether the condition of one of these steps does not hold.
    pub(super) fn fails_one_of(&self, steps: &[Step]) -> bool {
        steps.iter().any(|step| self.fails(*step))
    }

    /// The refusal of the first of these steps whose condition does not hold.
    pub(super) fn refusal_of(&mut self, steps: &[Step]) -> Option<R> {
        let first = steps.iter().copied().find(|step| self.fails(*step))?;
        self.refusals.get_mut(first.0)?.take()
    }

    fn fails(&self, step: Step) -> bool {
        matches!(self.at(step), Some(Reason::ConditionFailed { .. }))
    }

    /// Whether the same unit may succeed later, because it only met other writes or throttling.
    pub fn will_pass(&self) -> bool {
        self.reasons.iter().flatten().all(Reason::may_pass)
    }

    /// Why another attempt cannot succeed, if so. While others are at work on the item of `own`, what the other steps say may
    /// be the effect of an earlier attempt.
    pub(super) fn final_error(&mut self, own: Option<Step>) -> Option<ChangeError<R>> {
        let is_met = own.is_some_and(|own| self.at(own).is_some());
        if !is_met && let Some(refusal) = self.refusal() {
            return Some(ChangeError::Refused(refusal));
        }
        if let Some(lasting) = self.lasting() {
            return Some(lasting.into());
        }
        let is_fault = !is_met && !self.will_pass();
        is_fault.then(|| self.fault().into())
    }

    /// Why the unit can never succeed, for example because an item would have more than 400 KB.
    pub fn lasting(&self) -> Option<TableError> {
        let mut reasons = self.reasons.iter().flatten();
        reasons.find_map(|reason| match reason {
            Reason::Oversized => Some(TableError::Oversized),
            Reason::Mistyped(which) => Some(TableError::mistyped(which.clone())),
            Reason::Other(_) => Some(self.bug()),
            _ => None,
        })
    }

    /// The unit was refused for a reason that has no refusal: an item of another program that is missing, that cannot be
    /// read, or that contradicts the others.
    pub fn fault(&self) -> TableError {
        let mut failed = self.steps.iter().zip(&self.reasons);
        let unmet = failed.find_map(|(step, reason)| match reason.as_ref()? {
            Reason::ConditionFailed { item } => Some(step.unmet(item.as_ref())),
            _ => None,
        });
        unmet.map_or_else(|| self.bug(), TableError::from)
    }

    fn bug(&self) -> TableError {
        TableError::Built(self.to_string().into())
    }

    /// Whether DynamoDB throttles.
    pub fn is_throttled(&self) -> bool {
        self.reasons.contains(&Some(Reason::Throttled))
    }
}
