//! How interests change: swiped, undone, approved, declined. Each is one transaction, so that an interest, its
//! suggestion and its match always agree.

use async_graphql::ID;

use crate::api::{Node as _, Session, Stamp, Written};
use crate::domain::{Day, Id, Moment, Rule, Violations};
use crate::services::job_board::access::Party;
use crate::services::job_board::jobs::{Job, is_open_of};
use crate::services::job_board::matches::Match;
use crate::services::job_board::seekers::Seeker;
use crate::services::job_board::suggestions::relevance::assess;
use crate::services::job_board::suggestions::{Suggestion, SuggestionId};
use crate::table::{ChangeError, Changed, Condition, Unit};

use super::{Interest, InterestState};

const NO_SUGGESTION: Rule = Rule::NotFound("does not name a suggestion of yours");
const NO_INTEREST: Rule = Rule::NotFound("does not name an interest of yours");

/// Answers a suggestion of the viewer. One TransactWriteItems: the interest, the suggestion deleted, and a check that
/// the job is open. Two more at most if the relevance of the suggestion has changed since it was listed.
pub async fn swipe(session: &Session, id: &ID, state: InterestState) -> Written<Interest> {
    let Ok(id) = Suggestion::named(id, session) else {
        return Err(NO_SUGGESTION.at("suggestionId").into());
    };
    for id in id.at_each_level() {
        let swiped = swipe_at(session, &id, state).await;
        match swiped {
            Err(ChangeError::Refused(rules)) if rules == NO_SUGGESTION.at("suggestionId") => {}
            Err(ChangeError::Taken) => {
                let rule = Rule::Conflict("names a job that you have answered");
                return Err(rule.at("suggestionId").into());
            }
            swiped => return swiped,
        }
    }
    Err(NO_SUGGESTION.at("suggestionId").into())
}

async fn swipe_at(session: &Session, id: &SuggestionId, state: InterestState) -> Written<Interest> {
    let now = session.tables.now();
    let interest = Interest {
        seeker_id: id.seeker_id.clone(),
        employer_id: id.employer_id.clone(),
        job: id.job.clone(),
        state,
        swiped_on: Day::of(now),
        match_id: None,
        stamp: Stamp::new(Moment::new(now)),
    };
    let with = |unit: &mut Unit<Violations>| {
        let live = Condition::at_least("ttl", &(now.timestamp() + 1));
        unit.delete::<Suggestion>(id, Condition::Exists.and(live))
            .or(NO_SUGGESTION.at("suggestionId"));
        unit.check::<Job>(&id.job, is_open_of(&id.employer_id, now))
            .or(Rule::Conflict("names a job that is closed").at("suggestionId"));
    };
    session.tables.create(interest, with).await
}

/// Takes back the viewer's answer while the employer has not answered; if the job still fits, it is suggested again.
/// One GetItem, one BatchGetItem of the job and the profile, and one TransactWriteItems.
pub async fn undo(session: &Session, id: &ID) -> Written<Interest> {
    let refused = || NO_INTEREST.at("id");
    let (job, seeker) = Interest::named(id, session).map_err(|_| refused())?;
    if seeker != session.user() {
        return Err(refused().into());
    }
    let id = (job, seeker.clone());
    let interest: Option<Interest> = session.tables.get(&id).await?;
    let interest = interest.ok_or_else(refused)?;
    let (job, profile) = futures_util::future::join(
        session.load::<Job>(&interest.job),
        session.load::<Seeker>(&seeker),
    )
    .await;
    let now = session.tables.now();
    // What cannot be read now is not suggested now.
    let again = job.ok().flatten().zip(profile.ok().flatten());
    let again = again.and_then(|(job, profile)| {
        let fit = assess(&profile, &job, Day::of(now))?;
        Some(Suggestion::new(seeker.clone(), &job, fit, Moment::new(now)))
    });
    let with = |interest: &Interest, unit: &mut Unit<Violations>| {
        match interest.state {
            InterestState::Waiting | InterestState::Rejected => {}
            InterestState::Approved | InterestState::Declined => {
                let rule = Rule::Conflict("names an interest that the employer has answered");
                return Err(rule.at("id"));
            }
        }
        if let Some(suggestion) = &again {
            unit.put(suggestion).step();
        }
        Ok(())
    };
    let deleted = session.tables.delete(&id, None, with).await;
    deleted.map_err(|error| error.if_missing(refused()))
}

/// Approves an interest in a job of the viewer. Approved again, it answers the same match. One GetItem and one
/// TransactWriteItems: the interest and the match.
pub async fn approve(session: &Session, id: &ID) -> Written<Match> {
    let now = session.tables.now();
    let match_id = Id::<Match>::new(now);
    let made = |interest: &Interest| Match {
        match_id,
        seeker_id: interest.seeker_id.clone(),
        employer_id: interest.employer_id.clone(),
        job: interest.job.clone(),
        seeker_read: None,
        employer_read: None,
        stamp: Stamp::new(Moment::new(now)),
    };
    let approved = answer(session, id, InterestState::Approved, |interest, unit| {
        unit.put_new(&made(interest)).step();
        interest.match_id = Some(match_id);
    });
    let approved = approved.await?;
    let interest = approved.entity;
    if interest.match_id == Some(match_id) {
        return Ok(Changed {
            entity: made(&interest),
            is_written: approved.is_written,
        });
    }
    let earlier = interest.matched().ok_or(ChangeError::NotFound)?;
    let earlier = session.tables.get::<Match>(&earlier).await?;
    Ok(Changed::before(earlier.ok_or(ChangeError::NotFound)?))
}

/// Declines an interest in a job of the viewer. One GetItem and one UpdateItem.
pub async fn decline(session: &Session, id: &ID) -> Written<Interest> {
    answer(session, id, InterestState::Declined, |_, _| {}).await
}

/// Gives a waiting interest in a job of the viewer another state, and with it does what `with` adds.
async fn answer(
    session: &Session,
    id: &ID,
    state: InterestState,
    with: impl Fn(&mut Interest, &mut Unit<Violations>),
) -> Written<Interest> {
    let refused = || NO_INTEREST.at("id");
    let id = Interest::named(id, session).map_err(|_| refused())?;
    let plan = |interest: &Interest, unit: &mut Unit<Violations>| {
        let own = interest.employer_id == session.user() && Party::Employer.is(session);
        if !own || interest.state == InterestState::Rejected {
            return Err(refused());
        }
        let mut next = interest.clone();
        if interest.state == state {
            return Ok(next);
        }
        if interest.state != InterestState::Waiting {
            let rule = Rule::Conflict("names an interest that has been answered otherwise");
            return Err(rule.at("id"));
        }
        next.state = state;
        with(&mut next, unit);
        Ok(next)
    };
    let changed = session.tables.change(&id, None, plan).await;
    changed.map_err(|error| error.if_missing(refused()))
}
