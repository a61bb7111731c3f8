//! Reports in the API: users make them, admins decide them.

use async_graphql::{ComplexObject, Context, ID, InputObject, Object, SimpleObject};

use crate::journal::{Journal, Note};
use crate::member::{acting, acting_admin, member};
use crate::named::given_name;
use crate::notifications::NotificationType;
use crate::pages::{admin_page, own_page};
use crate::retrying::commit;
use crate::tiers::Quota;
use crate::usage::Usage;
use crate::users::{User, UserRole};
use trestle_api::{
    ApiError, Connection, Failed, Input, MutationResult, Node, QueryResult, Revision, Session,
    UserError, Version, found,
};
use trestle_api::{mutations, own_payloads};
use trestle_domain::{Check, Id, Rule, Text, Violations};
use trestle_table::{Changed, Condition, TransactionBuilder};

use super::content::reported;
use super::telling::{ReportNotice, tell_admins};
use super::{
    Report, ReportOrder, ReportReason, ReportStatus, ReportedType, of_reporter, of_status,
};

impl Node for Report {
    const TAG: u8 = b'X';

    /// Who made the report sees it, and admins.
    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
        let member = member(session).await?;
        let is_shown =
            member.is_some_and(|m| m.id == self.reporter_id || m.role == UserRole::Admin);
        Ok(is_shown.then_some(self))
    }
}

#[ComplexObject]
impl Report {
    /// Opaque id, for `node`.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// Who made the report. Null if the viewer may not see the user.
    async fn reporter(&self, ctx: &Context<'_>) -> QueryResult<User> {
        found(ctx, &self.reporter_id).await
    }

    /// The user who is reported, or whose startup, role, message or conversation is. Null if the viewer may not see the
    /// user.
    async fn reported_user(&self, ctx: &Context<'_>) -> QueryResult<User> {
        found(ctx, self.reported_user_id.as_ref()?).await
    }

    /// The id of what was reported, for `node`. Admins do not see messages and conversations by it.
    async fn reported_id(&self) -> ID {
        ID(self.reported_id.as_str().to_owned())
    }
}

/// Queries for reports.
#[derive(Default)]
pub struct ReportQuery;

#[Object]
impl ReportQuery {
    /// Reports of the viewer, newest first.
    async fn my_reports(&self, ctx: &Context<'_>) -> QueryResult<Connection<Report>> {
        own_page(ctx, |member| of_reporter(&member.id)).await
    }

    /// Reports of a status, oldest first unless `orderBy` is given. For admins.
    async fn reports(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The status.")] status: ReportStatus,
        #[graphql(
            desc = "Only reports of these types of things, for example USER and STARTUP. Defaults to all."
        )]
        reported_types: Option<Vec<ReportedType>>,
        #[graphql(desc = "The order. Defaults to OLDEST_FIRST.")] order_by: Option<ReportOrder>,
    ) -> QueryResult<Connection<Report>> {
        let list = |_: &Session| {
            let is_set =
                |types: &Vec<ReportedType>| (1..=ReportedType::ALL.len()).contains(&types.len());
            if !reported_types.as_ref().is_none_or(is_set) {
                let message = "`reportedTypes` must have 1 to 5 types. Leave it out for all.";
                return Err(ApiError::bad_input(message));
            }
            let order = order_by.unwrap_or(ReportOrder::OldestFirst);
            Ok(of_status(status, reported_types.as_deref(), order))
        };
        admin_page(ctx, list).await
    }
}

#[derive(InputObject, Clone)]
pub struct CreateReportInput {
    /// The id of a user, a startup, a role, a message or a conversation that the viewer sees.
    reported_id: ID,
    /// A ULID of the client's, so that the same input can be sent again. The report gets an id of its own.
    report_id: Option<Input<Id<Report>>>,
    /// Why it is reported.
    reason: ReportReason,
    /// What the viewer says about it, at most 2000 characters.
    details: Option<Input<Text<1, 2000>>>,
}

#[derive(InputObject, Clone)]
pub struct DecideReportInput {
    /// The report's id.
    id: ID,
    /// Change the report only if it still has this version.
    expected_version: Option<Version>,
    /// The new status.
    status: ReportStatus,
    /// What the admin says about the decision, which the reporter reads, at most 1000 characters.
    resolution: Option<Input<Text<1, 1000>>>,
}

#[derive(InputObject, Clone)]
pub struct OpenReportInput {
    /// The report's id.
    id: ID,
}

/// The result of `openReport`.
#[derive(SimpleObject, Default)]
pub struct OpenReportPayload {
    /// The report. `null` if there are errors.
    report: Option<Report>,
    /// What was reported, as it was then: the text of the message, the startup, the role or the profile, or the
    /// introduction of the conversation. `null` if there was none, or there are errors.
    content: Option<String>,
    /// Validation errors. If not empty, nothing was changed.
    user_errors: Vec<UserError>,
}

const NOT_SEEN: Rule = Rule::NotFound("does not name anything that you see and can report");
const OWN: Rule =
    Rule::Conflict("names yourself, or something of yours: report what others have written");
const NO_REPORT: Rule = Rule::NotFound("does not name a report");

/// GetItem of the viewer, reads of what is reported and whether the viewer sees it, and one TransactWriteItems: the
/// report, what the viewer has used of the day's reports, and the audit entry. Then the admins are notified, of the first open
/// report of a thing.
async fn create(session: &Session, input: CreateReportInput) -> Result<Changed<Report>, Failed> {
    let member = acting(session).await?;
    let name = given_name(input.report_id, "reportId")?;
    let mut check = Check::default();
    let details = check.if_given("details", input.details);
    check.finish(|| Some(()))?;
    let seen = reported(session, &input.reported_id).await?;
    let seen = seen.ok_or_else(|| NOT_SEEN.at("reportedId"))?;
    if seen.user.as_ref() == Some(&member.id) {
        return Err(OWN.at("reportedId").into());
    }
    let report = Report {
        report_id: Id::new(session.tables.now()),
        reporter_id: member.id.clone(),
        reported_type: seen.kind,
        reported_id: Text::parse(&input.reported_id).map_err(|_| NOT_SEEN.at("reportedId"))?,
        reported_user_id: seen.user,
        content: Text::cut(&seen.content),
        reason: input.reason,
        details,
        status: ReportStatus::Open,
        resolution: None,
        stamp: Revision::new(session.now()),
    };
    let (id, journal) = (report.report_id, Journal::of(session));
    let created = journal.create_named(name, "reportId", report, |unit| {
        Usage::spend(unit, session, &member, Quota::Reports, 1, "input");
        journal.record::<Report>(unit, "REPORT_CREATED", id);
        None
    });
    let created = created.await?;
    if created.is_written {
        tell_admins(session, &member, &created.entity).await;
    }
    Ok(created)
}

/// GetItems of the viewer and the report, and one TransactWriteItems: the report, the reporter's notification, the notice of
/// the admins and the audit entry.
async fn decide(session: &Session, input: DecideReportInput) -> MutationResult<Report> {
    let admin = acting_admin(session).await?;
    let mut check = Check::default();
    let id = check.need("id", Report::named(&input.id, session));
    let resolution = check.if_given("resolution", input.resolution);
    let id = check.finish(|| id)?;
    let journal = Journal::of(session);
    let plan = |now: &Report, unit: &mut TransactionBuilder<Violations>| {
        if now.reporter_id == admin.id || now.reported_user_id.as_ref() == Some(&admin.id) {
            return Err(Rule::Conflict(
                "names a report of yours, or about you: another admin has to decide it",
            )
            .at("id"));
        }
        let next = Report {
            status: input.status,
            resolution: resolution.clone(),
            ..now.clone()
        };
        let mut notified = None;
        if next != *now {
            let details = [("from", now.status.word()), ("to", next.status.word())];
            journal.record_with::<Report>(unit, "REPORT_DECIDED", id, &details);
            let body = match &next.resolution {
                Some(text) => format!("Your report is {}: {text}", next.status.word()),
                None => format!("Your report is {}.", next.status.word()),
            };
            let kind = NotificationType::System;
            let note = Note::new(&now.reporter_id, kind, "Report decided", &body);
            notified = journal.notify::<Report>(unit, id, note);
            // It is handled: another report of the same thing notifies the admins again.
            unit.delete::<ReportNotice>(&now.reported_id, Condition::ALWAYS);
        }
        Ok((next, notified))
    };
    let expected = input.expected_version.map(u32::from);
    let changed = journal
        .commit(session.tables.change_with(&id, expected, plan))
        .await;
    changed.map_err(|error| error.if_missing(NO_REPORT.at("id")))
}

/// GetItems of the viewer and the report, and one PutItem: the audit entry. What was reported is answered once that is
/// written.
async fn read(session: &Session, input: OpenReportInput) -> Result<OpenReportPayload, Failed> {
    acting_admin(session).await?;
    let id = Report::named(&input.id, session).map_err(|_| NO_REPORT.at("id"))?;
    let report = session.tables.get::<Report>(&id).await?;
    let report = report.ok_or_else(|| NO_REPORT.at("id"))?;
    let journal = Journal::of(session);
    let details = [("reported", report.reported_id.as_str())];
    commit(session, |unit| {
        journal.record_with::<Report>(unit, "REPORT_READ", id, &details);
    })
    .await?;
    Ok(OpenReportPayload {
        content: report
            .content
            .as_ref()
            .map(|content| content.as_str().to_owned()),
        report: Some(report),
        user_errors: Vec::new(),
    })
}

own_payloads! {
    OpenReportPayload
}

mutations! {
    /// Mutations of reports.
    ReportMutation -> report: Report {
        /// Reports a user, a startup, a role, a message or a conversation to the admins.
        create_report(CreateReportInput) -> CreateReportPayload = create,
        /// Decides a report, or opens it again. For admins.
        decide_report(DecideReportInput) -> DecideReportPayload = decide,
    }
}

mutations! {
    /// Mutations that read what was reported.
    OpenReportMutation {
        /// Returns what was reported. For admins. The audit log records each such read.
        open_report(OpenReportInput) -> OpenReportPayload = read,
    }
}
