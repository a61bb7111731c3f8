//! How interests change: swiped, undone, approved, declined. Each is one transaction, so that an interest, its
//! suggestion and its match always agree.

use async_graphql::ID;

use crate::access::Party;
use crate::jobs::{Job, is_open_of};
use crate::matches::Match;
use crate::runs::belonging::{must_be_kept, must_belong_to, must_have_profile};
use crate::seekers::Seeker;
use crate::suggestions::content::{Offered, Wanted};
use crate::suggestions::reason::Relevance;
use crate::suggestions::relevance::assess;
use crate::suggestions::{Suggestion, SuggestionId};
use trestle_api::{MutationResult, Node as _, Revision, Session};
use trestle_domain::{Day, Id, Moment, Rule, Violations};
use trestle_table::{
    ChangeError, Changed, Condition, Entity as _, TransactionBuilder, Versioned as _,
};

use super::answered::Answered;
use super::counts::count;
use super::{Interest, InterestState};

const NO_SUGGESTION: Rule = Rule::NotFound("does not name a suggestion of yours");
const CLOSED: Rule =
    Rule::Conflict("names a job that is closed, until its employer calls `reopenJob`");
const ANSWERED: Rule = Rule::Conflict(
    "names a job that you have answered: see `myInterests`. `undoSwipe` takes the answer back",
);
const NO_PROFILE: Rule = Rule::Conflict("needs a profile: save yours first, by saveSeekerProfile");
const NO_INTEREST: Rule = Rule::NotFound("does not name an interest of yours");

/// Answers a suggestion of the viewer. One TransactWriteItems: the interest, the suggestion deleted, and a check that
/// the job is open and its employer's profile is not being deleted. Two more at most if the relevance of the suggestion has
/// changed since it was listed. If the job is closed or its employer is being deleted, one GetItem, and one TransactWriteItems more
/// if the job is younger than its id.
pub async fn swipe(session: &Session, id: &ID, state: InterestState) -> MutationResult<Interest> {
    let Ok(id) = Suggestion::named(id, session) else {
        return Err(NO_SUGGESTION.at("suggestionId").into());
    };
    // The job is not older than its id.
    let mut posted = id.job.job_id.raw().moment().map(Moment::new);
    for id in id.at_each_level() {
        let mut swiped = swipe_at(session, &id, posted, state).await;
        if matches!(&swiped, Err(ChangeError::Refused(rules)) if *rules == CLOSED.at("suggestionId"))
        {
            // A job that is loaded, or posted with a `requestId`, can be younger than its id.
            let job = session.tables.get::<Job>(&id.job).await?;
            let created = job.map(|job| job.stamp.created_at);
            if created > posted {
                posted = created;
                swiped = swipe_at(session, &id, posted, state).await;
            }
        }
        match swiped {
            Err(ChangeError::Refused(rules)) if rules == NO_SUGGESTION.at("suggestionId") => {}
            Err(ChangeError::Taken) => {
                return Err(ANSWERED.at("suggestionId").into());
            }
            swiped => return swiped,
        }
    }
    Err(NO_SUGGESTION.at("suggestionId").into())
}

/// Says that the viewer is interested in a job, be it suggested or not. One BatchGetItem of the job and one
/// TransactWriteItems: the interest, suggestions of the job deleted, and a check that the job is open.
pub async fn express(session: &Session, id: &ID) -> MutationResult<Interest> {
    const NO_JOB: Rule = Rule::NotFound("does not name an open job");
    let id = Job::named(id, session).map_err(|_| NO_JOB.at("jobId"))?;
    let now = session.tables.now();
    let job = session
        .tables
        .batch::<Job>(std::slice::from_ref(&id))
        .await?;
    let job = job.into_iter().flatten().find_map(Result::ok);
    let job = job.filter(|job| job.is_open(Day::of(now)) && !job.is_copy());
    let job = job.ok_or_else(|| NO_JOB.at("jobId"))?;
    let interest = Interest {
        seeker_id: session.user(),
        employer_id: job.employer_id.clone(),
        job: job.reference(),
        state: InterestState::Waiting,
        swiped_on: Day::of(now),
        match_id: None,
        stamp: Revision::new(Moment::new(now)),
    };
    let suggestion = SuggestionId {
        relevance: Relevance::R1,
        job: job.reference(),
        employer_id: job.employer_id.clone(),
        seeker_id: session.user(),
        at: None,
    };
    let created = session.tables.create(interest.clone(), |unit| {
        for id in suggestion.at_each_level() {
            unit.delete::<Suggestion>(&id, Condition::ALWAYS);
        }
        unit.check::<Job>(&suggestion.job, is_open_of(&job.employer_id, now))
            .or(NO_JOB.at("jobId"));
        let (employer, posted) = (&job.employer_id, job.stamp.created_at);
        must_belong_to(unit, Party::Employer, employer, posted, NO_JOB.at("jobId"));
        must_have_profile(unit, &interest.seeker_id, NO_PROFILE.at("jobId"));
        count(unit, &interest, None, Some(interest.state));
    });
    match created.await {
        Err(ChangeError::Taken) => Err(ANSWERED.at("jobId").into()),
        written => written,
    }
}

async fn swipe_at(
    session: &Session,
    id: &SuggestionId,
    posted: Option<Moment>,
    state: InterestState,
) -> MutationResult<Interest> {
    let now = session.tables.now();
    let interest = Interest {
        seeker_id: id.seeker_id.clone(),
        employer_id: id.employer_id.clone(),
        job: id.job.clone(),
        state,
        swiped_on: Day::of(now),
        match_id: None,
        stamp: Revision::new(Moment::new(now)),
    };
    let created = session.tables.create(interest.clone(), |unit| {
        let live = Condition::at_least("ttl", &(now.timestamp() + 1));
        unit.delete::<Suggestion>(id, Condition::Exists.and(live))
            .or(NO_SUGGESTION.at("suggestionId"));
        if id.at.is_some() {
            let own = SuggestionId {
                at: None,
                ..id.clone()
            };
            for own in own.at_each_level() {
                unit.delete::<Suggestion>(&own, Condition::ALWAYS);
            }
        }
        unit.check::<Job>(&id.job, is_open_of(&id.employer_id, now))
            .or(CLOSED.at("suggestionId"));
        if let Some(posted) = posted {
            let refusal = CLOSED.at("suggestionId");
            must_belong_to(unit, Party::Employer, &id.employer_id, posted, refusal);
        }
        must_have_profile(unit, &interest.seeker_id, NO_SUGGESTION.at("suggestionId"));
        count(unit, &interest, None, Some(state));
    });
    created.await
}

/// Takes back the viewer's answer while the employer has not answered; if the job still fits, it is suggested again.
/// One GetItem, one BatchGetItem of the job and the profile, and one TransactWriteItems.
pub async fn undo(session: &Session, id: &ID) -> MutationResult<Interest> {
    let (job, seeker) = Interest::named(id, session).map_err(|_| NO_INTEREST.at("id"))?;
    if seeker != session.user() {
        return Err(NO_INTEREST.at("id").into());
    }
    let id = (job, seeker.clone());
    let interest: Option<Interest> = session.tables.get(&id).await?;
    let interest = interest.ok_or_else(|| NO_INTEREST.at("id"))?;
    let (job, profile) = futures_util::future::join(
        session.load::<Job>(&interest.job),
        session.load::<Seeker>(&seeker),
    )
    .await;
    let now = session.tables.now();
    // What cannot be read now is not suggested now.
    let again = job.ok().flatten().zip(profile.ok().flatten());
    let again = again.and_then(|(job, profile)| {
        let (wanted, offered) = (Wanted::of(&profile), Offered::of(&job));
        let fit = assess(&profile, &wanted, &job, &offered, Day::of(now))?;
        Some(Suggestion::new(seeker.clone(), &job, fit, Moment::new(now)))
    });
    let deleted = session.tables.delete(&id, None, |interest: &Interest, unit| {
        match interest.state {
            InterestState::Waiting | InterestState::Rejected => {}
            InterestState::Approved | InterestState::Declined => {
                let rule = Rule::Conflict(
                    "names an interest that the employer has answered, which stays: see `matches`",
                );
                return Err(rule.at("id"));
            }
        }
        if let Some(suggestion) = &again {
            unit.put(suggestion);
        }
        count(unit, interest, Some(interest.state), None);
        Ok(())
    });
    let deleted = deleted.await;
    deleted.map_err(|error| error.if_missing(NO_INTEREST.at("id")))
}

/// Approves an interest in a job of the viewer. Approved again, it answers the same match. One GetItem and one
/// TransactWriteItems: the interest and the match.
pub async fn approve(session: &Session, id: &ID) -> MutationResult<Match> {
    let now = session.tables.now();
    let match_id = Id::<Match>::new(now);
    let made = |interest: &Interest| {
        Match::new(
            match_id,
            interest.seeker_id.clone(),
            interest.employer_id.clone(),
            interest.job.clone(),
            Revision::new(Moment::new(now)),
        )
    };
    let approved = answer(session, id, InterestState::Approved, |interest, unit| {
        unit.put_new(&made(interest));
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

/// Takes back an approval of the viewer from which nothing has followed: the match is deleted, and the interest waits again.
/// One GetItem and one TransactWriteItems.
pub async fn undo_approval(session: &Session, id: &ID) -> MutationResult<Interest> {
    let id = Interest::named(id, session).map_err(|_| NO_INTEREST.at("id"))?;
    let changed = session.tables.change(&id, None, |interest: &Interest, unit| {
        must_answer(session, interest)?;
        let matched = match interest.state {
            InterestState::Waiting => return Ok(interest.clone()),
            InterestState::Approved => interest.matched().ok_or_else(|| NO_INTEREST.at("id"))?,
            InterestState::Declined | InterestState::Rejected => {
                let rule = Rule::Conflict(
                    "names an interest that was not approved: `undoDecline` takes a decline back",
                );
                return Err(rule.at("id"));
            }
        };
        must_be_kept(unit, interest, &NO_INTEREST.at("id"));
        let rule = Rule::Conflict(
            "names an interest whose match has messages, a stage or notes: call `moveMatch` with REJECTED",
        );
        unit.delete::<Match>(&matched, matched.is_untouched())
            .or(rule.at("id"));
        let next = Interest {
            state: InterestState::Waiting,
            match_id: None,
            ..interest.clone()
        };
        record(session, unit, interest, &next);
        Ok(next)
    });
    let changed = changed.await;
    changed.map_err(|error| error.if_missing(NO_INTEREST.at("id")))
}

/// Adds what else changes with an employer's answer: the counts, and the copy among the answered interests of the job.
fn record(
    session: &Session,
    unit: &mut TransactionBuilder<Violations>,
    before: &Interest,
    next: &Interest,
) {
    count(unit, before, Some(before.state), Some(next.state));
    let mut after = next.clone();
    after.advance(session.tables.now());
    let copy = Answered(after);
    match next.state {
        InterestState::Approved | InterestState::Declined => unit.put(&copy).step(),
        InterestState::Waiting | InterestState::Rejected => unit
            .delete::<Answered>(&copy.identity(), Condition::ALWAYS)
            .step(),
    };
}

/// Refuses unless the interest is in a job of the viewer's, as an employer; whether there is one is not disclosed.
fn must_answer(session: &Session, interest: &Interest) -> Result<(), Violations> {
    let own = interest.employer_id == session.user() && Party::Employer.is(session);
    if own && interest.state != InterestState::Rejected {
        Ok(())
    } else {
        Err(NO_INTEREST.at("id"))
    }
}

/// Declines an interest in a job of the viewer. One GetItem and one TransactWriteItems.
pub async fn decline(session: &Session, id: &ID) -> MutationResult<Interest> {
    answer(session, id, InterestState::Declined, |_, _| {}).await
}

/// Takes back that an interest in a job of the viewer was declined. One GetItem and one TransactWriteItems.
pub async fn undo_decline(session: &Session, id: &ID) -> MutationResult<Interest> {
    answer(session, id, InterestState::Waiting, |_, _| {}).await
}

/// Gives a waiting or declined interest in a job of the viewer another state, and with it does what `with` adds.
async fn answer(
    session: &Session,
    id: &ID,
    state: InterestState,
    with: impl Fn(&mut Interest, &mut TransactionBuilder<Violations>),
) -> MutationResult<Interest> {
    let id = Interest::named(id, session).map_err(|_| NO_INTEREST.at("id"))?;
    let changed = session.tables.change(&id, None, |interest: &Interest, unit| {
        must_answer(session, interest)?;
        let mut next = interest.clone();
        if interest.state == state {
            return Ok(next);
        }
        // An employer may think again about a decline: nothing has followed from it.
        let is_open = match interest.state {
            InterestState::Waiting => state != InterestState::Waiting,
            InterestState::Declined => true,
            InterestState::Approved | InterestState::Rejected => false,
        };
        if !is_open {
            let rule = Rule::Conflict(
                "names an interest that has been answered otherwise: `undoApproval` takes an approval back, if nothing followed",
            );
            return Err(rule.at("id"));
        }
        must_be_kept(unit, interest, &NO_INTEREST.at("id"));
        next.state = state;
        with(&mut next, unit);
        record(session, unit, interest, &next);
        Ok(next)
    });
    let changed = changed.await;
    changed.map_err(|error| error.if_missing(NO_INTEREST.at("id")))
}
