//! Writes that change the counters. Two transactions that meet on the Meta item cancel each other, so a process sends one
//! at a time, and the writes that wait meanwhile are committed together by the next one.

use tracing::Instrument as _;

use crate::error::{ChangeError, StoreError};
use trestle_table::{Failing, MAX_ITEMS, Reason};

use super::Applications;
use super::batches::{OTHERS, batches, entry_size, years};
use super::completeness::Beginning;
use super::counters::Counting;
use super::create::Committed;
use super::queue::{Refusal, Waiting, Write, Written};

/// How many writes one transaction has beside the counters: two items each.
const WRITES: usize = (MAX_ITEMS - OTHERS) / 2;

impl Applications {
    /// Commits a write, together with those that wait for the same turn. Gives it back with its result.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub(super) async fn commit_queued(
        &self,
        write: Write,
    ) -> Result<(Write, Written), ChangeError> {
        let queue = self.counters.queue();
        let mut answer = queue.add(write, self.meter.clone());
        let answered = loop {
            tokio::select! {
                biased;
                answered = &mut answer => break answered,
                turn = queue.turn() => {
                    if let Ok(answered) = answer.try_recv() {
                        break Ok(answered);
                    }
                    let store = self.clone();
                    // The others wait for it too, so it goes on even if this caller is gone.
                    let commit = async move {
                        store.commit_waiting().await;
                        drop(turn);
                    };
                    tokio::spawn(commit.in_current_span());
                }
            }
        };
        let (write, outcome) = answered.map_err(|_| ChangeError::Contended)?;
        Ok((write, outcome?))
    }

    /// Commits the writes that wait. The caller has the turn.
    async fn commit_waiting(&self) {
        let waiting = self.counters.queue().next(WRITES);
        let batches = batches(
            waiting,
            WRITES,
            |one| entry_size(&one.write.entry),
            |one| years(one.write.current.as_ref(), &one.write.entry),
        );
        for batch in batches {
            self.commit_batch(batch).await;
        }
    }

    /// Commits writes in one transaction. Those whose conditions do not hold get their reasons; the others are
    /// committed without them.
    async fn commit_batch(&self, mut batch: Vec<Waiting>) {
        let creates = batch.iter().any(|one| one.write.current.is_none());
        let mut beginning = if creates {
            self.counters.beginning()
        } else {
            Beginning::Later
        };
        while !batch.is_empty() {
            let unconfirmed = self.meter.unconfirmed_writes();
            let written = self.commit_writes(&batch, beginning).await;
            if self.meter.unconfirmed_writes() > unconfirmed {
                batch.iter().for_each(|one| one.meter.unconfirmed_write());
            }
            let committed = match written {
                Ok(Committed::NotCounted) => match self.begin_after(beginning).await {
                    Ok(next) => {
                        beginning = next;
                        continue;
                    }
                    Err(error) => Err(error.into()),
                },
                other => other,
            };
            match committed {
                Ok(Committed::Yes) => return answer_all(batch, &Ok(Written::Committed)),
                Ok(Committed::No(reasons)) => batch = answer_refused(batch, &reasons),
                Ok(Committed::NotCounted) => {}
                // One of them cannot be written at all: the others must not fail with it.
                Err(error) if batch.len() > 1 && is_broken(&error) => {
                    for one in batch {
                        Box::pin(self.commit_batch(vec![one])).await;
                    }
                    return;
                }
                Err(error) => return answer_all(batch, &Err(error)),
            }
        }
    }

    async fn commit_writes(
        &self,
        batch: &[Waiting],
        beginning: Beginning,
    ) -> Result<Committed, ChangeError> {
        let mut transaction = self.table.transaction();
        let mut counting = Counting::beginning(beginning);
        for Waiting { write, .. } in batch {
            transaction = match &write.current {
                Some(current) => {
                    let after = &write.entry.snapshot.application;
                    counting.change(&current.state.application, after);
                    self.add_change(transaction, current, &write.entry)?
                }
                None => {
                    counting.add(&write.entry.snapshot.application);
                    self.add_new(transaction, &write.entry)?
                }
            };
        }
        self.commit_in_turn(transaction, counting).await
    }
}

/// Gives every caller the same result.
fn answer_all(batch: Vec<Waiting>, outcome: &Result<Written, ChangeError>) {
    for one in batch {
        one.answer(outcome.clone());
    }
}

/// Gives the callers their reasons for which the transaction was cancelled; the writes that can be committed without
/// those. If another transaction was in progress, none can.
fn answer_refused(batch: Vec<Waiting>, reasons: &[Option<Reason>]) -> Vec<Waiting> {
    let (own, counters) = reasons
        .split_at_checked(2 * batch.len())
        .unwrap_or((reasons, &[]));
    let is_any_lasting = own.iter().flatten().any(is_lasting);
    // Each write has two items.
    let mut pairs = own.chunks(2);
    let mut rest = Vec::new();
    for one in batch {
        let pair = pairs.next().unwrap_or_default();
        let refusal = Refusal::of([pair, counters].concat());
        if is_any_lasting && !refusal.own().any(is_lasting) {
            rest.push(one);
        } else {
            one.answer(Ok(Written::Refused(refusal)));
        }
    }
    rest
}

/// Whether the same write cannot succeed later.
fn is_lasting(reason: &Reason) -> bool {
    !matches!(reason, Reason::Conflict | Reason::Throttled)
}

/// Whether the request as such was refused, so that sending it again does not help.
fn is_broken(error: &ChangeError) -> bool {
    match error {
        ChangeError::Store(StoreError::Table(error)) => {
            matches!(
                error.failing(),
                Failing::Broken | Failing::Oversized | Failing::Full | Failing::Unreadable
            )
        }
        _ => false,
    }
}
