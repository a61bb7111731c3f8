//! Cloning shareables, also those that have expired.

use futures_util::try_join;

use super::checklist::ChecklistItem;
use super::draft::{Draft, NewContent};
use super::opened::{Opened, voter_of};
use super::opening::create;
use super::passcode::{MadePasscodes, Passcode};
use super::poll::PollOption;
use super::request_context::{NOT_THERE, RequestContext, refused};
use super::shareable::{ChecklistContent, Content, Name, PollContent, Shareable, ticking_alone};
use super::short_id::ShortId;
use super::token::Claims;
use trestle_api::{ApiError, Failed};
use trestle_domain::{List, Moment, Rule, Seconds};

/// What a clone has of its own.
pub struct Copy {
    pub name: Option<Name>,
    /// View and admin.
    pub passcodes: (Passcode, Passcode),
    pub made: MadePasscodes,
    pub expires_at: Moment<Seconds>,
    pub closes_at: Option<Moment<Seconds>>,
}

/// Clones a shareable that may have expired. One GetItem and one Query, sent together, and what [`create`] costs.
pub async fn clone(
    context: RequestContext<'_>,
    short_id: &ShortId,
    copy: Copy,
) -> Result<Opened, Failed> {
    let claims = context.admin_claims_on(short_id, None)?;
    let (Some(original), content) = original(context, &claims, copy.closes_at).await? else {
        return refused(NOT_THERE, "shortId");
    };
    let draft = Draft {
        name: copy.name.unwrap_or(original.name),
        passcodes: copy.passcodes,
        made: copy.made,
        expires_at: copy.expires_at,
        stays_open: false,
        content,
        invited: Vec::new(),
    };
    create(context, draft, voter_of(claims)).await
}

/// The shareable to clone, and what its clone consists of.
async fn original(
    context: RequestContext<'_>,
    claims: &Claims,
    closes_at: Option<Moment<Seconds>>,
) -> Result<(Option<Shareable>, NewContent), ApiError> {
    let (found, items, options) = try_join!(
        context.shareable(claims),
        context.parts_if::<ChecklistItem>(claims),
        context.parts_if::<PollOption>(claims),
    )?;
    let full =
        |_: Rule| ApiError::internal(std::io::Error::other("a shareable has too many parts"));
    let content = match found.as_ref().map(|found| found.content.clone()) {
        Some(Content::Poll(poll)) => NewContent::Poll(
            PollContent {
                closes_at,
                reopened_at: None,
                voter_count: Some(0),
                none_count: 0,
                deleted_options: Vec::new(),
                corrected_at: None,
                ..poll
            },
            List::parse(options.iter().map(|option| Ok(option.to_new()))).map_err(full)?,
        ),
        content => NewContent::Checklist(
            match content {
                Some(Content::Checklist(checklist)) => checklist,
                Some(Content::Poll(_)) | None => ChecklistContent {
                    note: None,
                    viewers_may: ticking_alone(),
                },
            },
            List::parse(items.into_iter().map(|item| Ok(item.into()))).map_err(full)?,
        ),
    };
    Ok((found, content))
}
