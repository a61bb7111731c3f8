//! The status of applications: founders review them, applicants withdraw them.

use async_graphql::{ID, InputObject, MaybeUndefined};

use crate::journal::Journal;
use crate::member::{Member, acting};
use crate::notices::NoticeMark;
use crate::refusals::cannot_follow;
use crate::roles::Role;
use crate::startups::Startup;
use crate::table::TABLE;
use trestle_api::{Input, MutationResult, Node as _, Session, Version};
use trestle_api::{mutations, naming_inputs};
use trestle_domain::{Check, Id, Rule, Text, UserId, Violations};
use trestle_table::{
    ChangeError, Changed, Condition, Entity as _, UnitError, Versioned as _, from_item,
};

use super::graphql::about;
use super::notes::Names;
use super::{Application, ApplicationStatus, Entry, Mover, NO_APPLICATION};

/// An omitted field keeps its value, null clears it.
#[derive(InputObject, Clone)]
pub struct ReviewApplicationInput {
    /// The application's id.
    id: ID,
    /// Change the application only if it still has this version.
    expected_version: Option<Version>,
    /// The new status: REVIEWING, SHORTLISTED, ACCEPTED or REJECTED. A decision is taken back by REVIEWING or SHORTLISTED,
    /// as long as the applicant has not applied again.
    status: Option<ApplicationStatus>,
    /// Notes that only the founder sees, at most 5000 characters. Alone, they change neither the version nor `updatedAt`.
    founder_notes: MaybeUndefined<Input<Text<1, 5000>>>,
    /// The reason for the status, which the applicant reads, at most 1000 characters.
    reason: MaybeUndefined<Input<Text<1, 1000>>>,
}

impl ReviewApplicationInput {
    fn has_only_notes(&self) -> bool {
        self.status.is_none() && self.reason.is_undefined() && !self.founder_notes.is_undefined()
    }
}

naming_inputs! {
    WithdrawApplicationInput
    DeclineApplicationInput
}

/// The words for a new status, in a notification of the applicant.
fn told(status: ApplicationStatus, is_taken_back: bool) -> &'static str {
    match (status, is_taken_back) {
        (ApplicationStatus::Shortlisted, true) => "is on the shortlist again",
        (_, true) => "is under review again",
        (ApplicationStatus::Shortlisted, false) => "is on the shortlist",
        (ApplicationStatus::Accepted, false) => "was accepted",
        (ApplicationStatus::Rejected, false) => "was rejected",
        (ApplicationStatus::Withdrawn, false) => "was withdrawn",
        (ApplicationStatus::Pending | ApplicationStatus::Reviewing, false) => "is under review",
    }
}

const NEWER: Rule =
    Rule::Conflict("cannot be changed: the user has applied again. Review the newer application");

/// GetItems of the profile and the application (twice), a BatchGetItem of the startup and the role, and one
/// TransactWriteItems: the application, the applicant's notification if the status changes, the audit entry, and the entry of
/// an application that another program has made, which has none.
async fn review(session: &Session, input: ReviewApplicationInput) -> MutationResult<Application> {
    let member = acting(session).await?;
    let id = Application::named(&input.id, session).map_err(|rule| rule.at("id"))?;
    if input.has_only_notes() {
        return note(session, &member.id, &id, input).await;
    }
    let place = place_of(session, &id).await?;
    let is_founder = place
        .as_ref()
        .is_some_and(|place| place.founder == member.id);
    let journal = Journal::of(session);
    let expected = input.expected_version.map(u32::from);
    let changed = journal.change(
        &id,
        expected,
        |_: &Application| is_founder,
        |now: &Application, unit| {
            let Some(place) = place.as_ref().filter(|_| is_founder) else {
                return Err(NO_APPLICATION.at("id"));
            };
            let (mut next, mut check) = (place.names.added_to(now), Check::default());
            check.set_opt(
                "founderNotes",
                &mut next.founder_notes,
                input.founder_notes.clone(),
            );
            next.status = input.status.unwrap_or(now.status);
            // The reason of the status before is not one of this status.
            next.reason = next.reason.filter(|_| next.status == now.status);
            check.set_opt("reason", &mut next.reason, input.reason.clone());
            let is_declared =
                next.status == now.status || now.status.may_become(next.status, Mover::Founder);
            let next = check.finish(|| Some(next))?;
            if !is_declared {
                let next = ApplicationStatus::ALL.iter();
                let next = next.filter(|next| now.status.may_become(**next, Mover::Founder));
                return Err(cannot_follow(
                    now.status.word(),
                    next.map(|next| next.word()),
                    "it is final, but the applicant can apply again",
                ));
            }
            if next != *now {
                let details = [("from", now.status.word()), ("to", next.status.word())];
                let id = now.application_id;
                journal.record_with::<Application>(unit, "APPLICATION_REVIEWED", id, &details);
            }
            let mut notified = None;
            let is_taken_back = next.status != now.status && now.status.is_decided();
            let is_held = next.status != ApplicationStatus::Withdrawn;
            if next != *now && is_held && place.lacks_entry {
                unit.put_new(&now.entry()).or(NEWER.at("status"));
            } else if is_taken_back {
                unit.check::<Entry>(&now.entry().identity(), now.is_latest())
                    .or(NEWER.at("status"));
            }
            if next.status != now.status {
                let told = told(next.status, is_taken_back);
                let body = match &next.reason {
                    Some(reason) => {
                        format!(
                            "Your application for {} {told}. Reason: {reason}",
                            place.name
                        )
                    }
                    None => format!("Your application for {} {told}.", place.name),
                };
                let note = about(&now.applicant_id, "Application updated", &body, now);
                notified = journal.notify::<Application>(unit, now.application_id, note);
            }
            Ok((next, notified))
        },
    );
    let changed = changed.await;
    changed.map_err(|error| error.if_missing(NO_APPLICATION.at("id")))
}

/// Writes the founder's notes. The applicant sees the version of the application and when it was changed, so neither moves:
/// GetItems of the profile, the application and the startup, and one TransactWriteItems: the notes and the audit entry.
async fn note(
    session: &Session,
    founder: &UserId,
    id: &Id<Application>,
    input: ReviewApplicationInput,
) -> MutationResult<Application> {
    let journal = Journal::of(session);
    let mut retries = session.tables.retries();
    loop {
        let now = session
            .tables
            .get::<Application>(id)
            .await?
            .ok_or_else(|| NO_APPLICATION.at("id"))?;
        let startup = session.tables.get::<Startup>(&now.startup_id).await?;
        let startup = startup.filter(|startup| startup.founder_id == *founder);
        startup.ok_or_else(|| NO_APPLICATION.at("id"))?;
        if let Some(expected) = input.expected_version.map(u32::from)
            && expected != now.stamp.version
        {
            let current = now.stamp.version;
            return Err(ChangeError::Conflict { current });
        }
        let (mut next, mut check) = (now.clone(), Check::default());
        let notes = input.founder_notes.clone();
        check.set_opt("founderNotes", &mut next.founder_notes, notes);
        let next = check.finish(|| Some(next))?;
        if next == now {
            return Ok(Changed::before(next));
        }
        let mut unit = session.tables.unit();
        unit.update_at(&Application::key_of(id), &now, &next, now.unchanged());
        journal.record::<Application>(&mut unit, "APPLICATION_NOTED", now.application_id);
        match unit.commit().await {
            Ok(()) => return Ok(Changed::now(next)),
            Err(UnitError::Table(error)) => return Err(error.into()),
            // Somebody else has changed it: what is written is only the notes, so it is read again.
            Err(UnitError::Canceled(canceled)) => match canceled.lasting() {
                Some(lasting) => return Err(lasting.into()),
                None => retries.pause().await?,
            },
        }
    }
}

/// GetItems of the profile and the application (twice), a BatchGetItem of the startup, the role, the entry and the mark of
/// earlier notifications, and one TransactWriteItems: the application, its entry, the role's count, the founder's notification,
/// once a day for each role, and the audit entry.
async fn withdraw(
    session: &Session,
    input: WithdrawApplicationInput,
) -> MutationResult<Application> {
    let expected = input.expected_version.map(u32::from);
    end(session, &input.id, expected, Mover::Applicant).await
}

/// As [`withdraw`], also once the founder has accepted the applicant.
async fn decline(session: &Session, input: DeclineApplicationInput) -> MutationResult<Application> {
    let expected = input.expected_version.map(u32::from);
    end(session, &input.id, expected, Mover::Decliner).await
}

async fn end(
    session: &Session,
    id: &ID,
    expected: Option<u32>,
    mover: Mover,
) -> MutationResult<Application> {
    let member = acting(session).await?;
    let id = Application::named(id, session).map_err(|rule| rule.at("id"))?;
    let mut ending = Ending {
        place: place_of(session, &id).await?,
        id,
        expected,
        mover,
    };
    let mut ended = end_of(session, &member, &ending).await;
    if matches!(&ended, Err(ChangeError::Refused(refused)) if *refused == NO_ROLE.at("id"))
        && let Some(place) = &mut ending.place
    {
        // The role was deleted since it was read, so there is no count to take the application from.
        place.has_role = false;
        ended = end_of(session, &member, &ending).await;
    }
    ended.map_err(|error| error.if_missing(NO_APPLICATION.at("id")))
}

/// An application that its applicant ends.
struct Ending {
    id: Id<Application>,
    place: Option<Place>,
    expected: Option<u32>,
    mover: Mover,
}

/// The refusal of a count of a role that was deleted at the same time.
const NO_ROLE: Rule = Rule::NotFound("names an application for a role that was deleted");

/// The refusal of an application that its applicant cannot end so.
fn not_ended(status: ApplicationStatus) -> Rule {
    Rule::Conflict(match status {
        ApplicationStatus::Accepted => {
            "names an application that was accepted: call `declineApplication`"
        }
        _ => "names an application that was rejected, which is final: apply again 30 days later",
    })
}

async fn end_of(
    session: &Session,
    member: &Member,
    ending: &Ending,
) -> MutationResult<Application> {
    let journal = Journal::of(session);
    let (id, place) = (&ending.id, ending.place.as_ref());
    let has_role = place.is_some_and(|place| place.has_role);
    let has_entry = place.is_none_or(|place| place.has_entry);
    let is_own = |now: &Application| now.applicant_id == member.id;
    let changed = journal.change(id, ending.expected, is_own, |now: &Application, unit| {
        if now.applicant_id != member.id {
            return Err(NO_APPLICATION.at("id"));
        }
        if now.status == ApplicationStatus::Withdrawn {
            return Ok((now.clone(), None));
        }
        let withdrawn = ApplicationStatus::Withdrawn;
        if !now.status.may_become(withdrawn, ending.mover) {
            return Err(not_ended(now.status).at("id"));
        }
        let is_declined = now.status == ApplicationStatus::Accepted;
        if has_entry {
            unit.delete::<Entry>(&now.entry().identity(), now.is_latest());
        }
        let role = (now.startup_id, now.role_id);
        if has_role {
            unit.add::<Role>(&role, "applicantCount", -1, Condition::Exists)
                .or(NO_ROLE.at("id"));
        }
        let (action, title, verb) = if is_declined {
            (
                "APPLICATION_DECLINED",
                "Offer declined",
                "declined the offer",
            )
        } else {
            (
                "APPLICATION_WITHDRAWN",
                "Application withdrawn",
                "withdrew the application",
            )
        };
        journal.record::<Application>(unit, action, now.application_id);
        let mut notified = None;
        if let Some(place) = place
            && (is_declined || !place.has_met_withdrawal)
        {
            let mark = NoticeMark::of_withdrawal(&member.id, now.role_id);
            unit.put(&NoticeMark::new(mark, session.now()));
            let body = format!("{} {verb} for {}.", member.name, place.name);
            let note = about(&place.founder, title, &body, now);
            notified = journal.notify::<Application>(unit, now.application_id, note);
        }
        let withdrawn = Application {
            status: ApplicationStatus::Withdrawn,
            ..place.map_or_else(|| now.clone(), |place| place.names.added_to(now))
        };
        Ok((withdrawn, notified))
    });
    changed.await
}

/// What an application is for.
struct Place {
    founder: UserId,
    /// The role and the startup, in words.
    name: String,
    names: Names,
    /// Whether the role exists, and counts the application.
    has_role: bool,
    /// Whether no newer application of the applicant has the entry.
    has_entry: bool,
    /// Whether nothing keeps the applicant from applying for the role again: another program has made the application.
    lacks_entry: bool,
    /// Whether the founder was notified today that the applicant withdrew from the role.
    has_met_withdrawal: bool,
}

/// What an application is for, if its startup exists. A GetItem and a BatchGetItem.
async fn place_of(
    session: &Session,
    id: &Id<Application>,
) -> Result<Option<Place>, ChangeError<Violations>> {
    let Some(application) = session.tables.get::<Application>(id).await? else {
        return Ok(None);
    };
    let tables = &session.tables;
    let place = (application.startup_id, application.role_id);
    let mark = NoticeMark::of_withdrawal(&application.applicant_id, place.1);
    let name = TABLE.default_name;
    let keys = [
        Startup::key_of(&place.0),
        Role::key_of(&place),
        NoticeMark::key_of(&mark),
        Entry::key_of(&application.entry().identity()),
    ];
    let found = tables.items(keys.clone().map(|key| (name, key))).await?;
    let [startup, role, mark, entry] = keys.map(|key| found.get(&(name, key)).cloned());
    let Some(startup) = startup.map(from_item::<Startup>).transpose()? else {
        return Ok(None);
    };
    let role = role.map(from_item::<Role>).transpose()?;
    let mark = mark.map(from_item::<NoticeMark>).transpose()?;
    let entry = entry.map(from_item::<Entry>).transpose()?;
    Ok(Some(Place {
        name: match &role {
            Some(role) => format!("{} at {}", role.title, startup.name),
            None => format!("a role at {}", startup.name),
        },
        names: Names {
            role_title: role.as_ref().map(|role| role.title.clone()),
            startup_name: Some(startup.name),
        },
        founder: startup.founder_id,
        has_role: role.is_some(),
        lacks_entry: role.is_some() && entry.is_none(),
        has_entry: entry.is_none_or(|entry| entry.application_id == application.application_id),
        has_met_withdrawal: mark.is_some_and(|mark| mark.is_of(session.now())),
    }))
}

mutations! {
    /// Mutations of applications.
    ApplicationMutation -> application: Application {
        /// Changes the status or the notes of an application for a startup that the viewer founded.
        review_application(ReviewApplicationInput) -> ReviewApplicationPayload = review,
        /// Withdraws an application of the viewer. The viewer may then apply for the role again, with the same invitation if the
        /// application was made with one.
        withdraw_application(WithdrawApplicationInput) -> WithdrawApplicationPayload = withdraw,
        /// Declines an offer: withdraws an application of the viewer, also one that was accepted.
        decline_application(DeclineApplicationInput) -> DeclineApplicationPayload = decline,
    }
}
