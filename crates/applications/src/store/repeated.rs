//! A request that adds stages and is sent again, after they were changed, or moved by others.

use crate::error::{ChangeError, StoreError};
use crate::model::{ApplicationId, NewStage, Rule, State, Violations};
use trestle_table::Direction;

use super::Applications;
use super::history::{Content, HistoryRange};

/// How many entries are read at once.
const PAGE: usize = 20;

impl Applications {
    /// Whether a refused request may only repeat one that has added this stage, and that one did: what it added then decides, not
    /// what became of it since. If the stage is there, a Query of APP#id / HIST#, to the entry that added it.
    pub(super) async fn has_added(
        &self,
        id: &ApplicationId,
        stage: &NewStage,
        refusal: &ChangeError,
    ) -> Result<bool, StoreError> {
        if !may_repeat(refusal, stage) {
            return Ok(false);
        }
        let Some(first) = self.first_with(id, stage).await? else {
            return Ok(false);
        };
        // Among the stages of then, it is the same or another one with its id.
        Ok(first.add_stage(stage.clone(), self.now()).is_ok())
    }

    /// The application as it was when the stage was added; `None` if it does not have the stage.
    async fn first_with(
        &self,
        id: &ApplicationId,
        stage: &NewStage,
    ) -> Result<Option<State>, StoreError> {
        let mut first = None;
        let mut range = HistoryRange {
            size: PAGE,
            direction: Direction::Forward,
            cursor: None,
            content: Content::Snapshots,
        };
        loop {
            let page = self.history(id, &range).await?;
            for line in &page.lines {
                let state = line.entry.state();
                let Some(state) = state.filter(|state| state.stage(&stage.id).is_some()) else {
                    return Ok(first);
                };
                first = Some(state);
            }
            range.cursor = page.lines.last().map(|line| line.sequence);
            if !page.more || range.cursor.is_none() {
                return Ok(first);
            }
        }
    }
}

/// Whether a request may be refused because it is the second one: something has happened to the stage that the first one added.
fn may_repeat(refusal: &ChangeError, stage: &NewStage) -> bool {
    match refusal {
        ChangeError::Conflict(present) => present.has_stage(&stage.id),
        ChangeError::Invalid(violations) => has_conflict(violations),
        ChangeError::NotFound
        | ChangeError::NoEntry
        | ChangeError::IdTaken
        | ChangeError::BeingDeleted
        | ChangeError::Leftovers(_)
        | ChangeError::LastVersion
        | ChangeError::Contended
        | ChangeError::Store(_) => false,
    }
}

/// Whether the id of a stage belongs to another one, of a request or of one of its entries.
fn has_conflict(violations: &Violations) -> bool {
    violations.iter().any(|violation| match &violation.rule {
        Rule::Conflict(_) => true,
        Rule::Within(violations) => has_conflict(violations),
        Rule::Entries(entries) => entries.iter().any(|(_, rule)| match rule {
            Rule::Within(violations) => has_conflict(violations),
            _ => false,
        }),
        _ => false,
    })
}
