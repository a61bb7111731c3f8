//! Access requests for a startup that is deleted.

use trestle_api::Session;
use trestle_domain::{Id, Text, UserId, Violations};
use trestle_table::{ChangeError, PageAsk, Row};

use super::{AccessRequest, of_startup};
use crate::retrying::rewrite;
use crate::startups::Startup;

/// Number of requests that are read at once.
const AT_ONCE: usize = 450;

/// The investors of open requests for a deleted startup. Requests of other programs get its name, which they do not store. A
/// Query for each 450 requests that are open or have no name, and an UpdateItem for each without a name.
///
/// # Errors
/// The store does not answer.
pub async fn end(
    session: &Session,
    startup: Id<Startup>,
    name: Option<&Text<1, 120>>,
) -> Result<Vec<UserId>, ChangeError<Violations>> {
    let now = session.now();
    let listed = of_startup(startup, None, now);
    let listed = listed.keeping("open or nameless", move |request: &AccessRequest| {
        request.is_open_at(now) || request.startup_name.is_none()
    });
    let (mut ask, mut investors) = (PageAsk::first(AT_ONCE), Vec::new());
    loop {
        let page = session.tables.page(&listed, &ask, &()).await?;
        let last = page.rows.last().map(|row| row.place.clone());
        for (key, request) in page.rows.into_iter().filter_map(Row::keyed) {
            if request.startup_name.is_none() && name.is_some() {
                let named = AccessRequest {
                    startup_name: name.cloned(),
                    ..request.clone()
                };
                rewrite(session, &key, &request, &named).await?;
            }
            if request.is_open_at(now) {
                investors.push(request.requester_id);
            }
        }
        match last {
            Some(last) if page.more => ask.place = Some(last),
            _ => return Ok(investors),
        }
    }
}
