//! Notifications of admins about reports: one for each thing that is reported, until an admin decides one of its reports.

use serde::{Deserialize, Serialize};

use crate::journal::{Journal, Note};
use crate::member::Member;
use crate::notifications::NotificationType;
use crate::table::TABLE;
use crate::users::notified_admins;
use trestle_api::{Revision, Session};
use trestle_domain::{Rule, Text, Violations};
use trestle_table::{Entity, Key, Pk, Sk, TableDefinition, TableError, UnitError};

use super::{Report, ReportedType};

/// That the admins were notified of what is reported: `REPORTED#id` / `NOTICE`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportNotice {
    pub reported_id: Text<1, 1000>,
    #[serde(flatten)]
    pub stamp: Revision,
}

impl Entity for ReportNotice {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "REPORT_NOTICE";
    type Id = Text<1, 1000>;

    fn key_of(id: &Self::Id) -> Key {
        Key::new(Pk::of("REPORTED", id), Sk::word("NOTICE"))
    }

    fn identity(&self) -> Self::Id {
        self.reported_id.clone()
    }
}

/// Notifies the admins of a report, unless they were notified of another one of the same thing: a GetItem, and then a Query
/// of the admins and one TransactWriteItems. A failure is logged: `reports` lists what waits.
pub async fn tell_admins(session: &Session, member: &Member, report: &Report) {
    if let Err(error) = tell(session, member, report).await {
        tracing::error!(%error, report = %report.report_id, "Admins were not notified");
    }
}

async fn tell(session: &Session, member: &Member, report: &Report) -> Result<(), TableError> {
    let tables = &session.tables;
    if tables
        .get::<ReportNotice>(&report.reported_id)
        .await?
        .is_some()
    {
        return Ok(());
    }
    let mut admins = notified_admins(session).await?;
    // Nobody decides a report of theirs, or about them.
    admins.retain(|user| {
        *user != report.reporter_id && report.reported_user_id.as_ref() != Some(user)
    });
    if admins.is_empty() {
        return Ok(());
    }
    let notice = ReportNotice {
        reported_id: report.reported_id.clone(),
        stamp: Revision::new(session.now()),
    };
    let kind = match report.reported_type {
        ReportedType::User => "user",
        ReportedType::Startup => "startup",
        ReportedType::Role => "role",
        ReportedType::Message => "message",
        ReportedType::Conversation => "conversation",
    };
    let body = format!(
        "{} reported a {kind}: {}.",
        member.name,
        report.reason.word()
    );
    let (id, journal) = (report.report_id, Journal::of(session));
    let note = Note::new(
        &report.reporter_id,
        NotificationType::System,
        "New report",
        &body,
    );
    let mut retries = tables.retries();
    loop {
        let mut notified = Vec::new();
        let mut unit = tables.unit::<Violations>();
        unit.put_new(&notice).or(TOLD.at("input"));
        for to in &admins {
            notified.extend(journal.notify::<Report>(&mut unit, id, Note { to, ..note }));
        }
        match unit.commit().await {
            Ok(()) => {
                journal.announce(notified);
                return Ok(());
            }
            Err(UnitError::Table(error)) => return Err(error),
            Err(UnitError::Canceled(mut canceled)) => {
                // Another report has notified them meanwhile.
                if canceled.refusal().is_some() {
                    return Ok(());
                }
                retries.pause().await?;
            }
        }
    }
}

const TOLD: Rule = Rule::Conflict("was reported before");
