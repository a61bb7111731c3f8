//! The founder's notes on applications for a role that is deleted: nobody could read them any more.

use trestle_api::Session;
use trestle_domain::{Id, Violations};
use trestle_table::{ChangeError, Condition, Key, PageAsk, Row};

use super::{Application, NO_APPLICATION, of_role};
use crate::retrying::commit;
use crate::roles::Role;
use crate::startups::Startup;

/// Number of applications that are read at once.
const AT_ONCE: usize = 450;

/// Deletes the notes on all applications for a role, and returns the newest applications that are open. A Query for each 450 of
/// those that are open or have notes, and an UpdateItem for each note.
///
/// # Errors
/// The store does not answer.
pub async fn forget(
    session: &Session,
    startup: Id<Startup>,
    role: Id<Role>,
) -> Result<Vec<Application>, ChangeError<Violations>> {
    let listed = of_role(startup, role, None)
        .keeping("open or noted", |application: &Application| {
            application.is_open() || application.founder_notes.is_some()
        });
    let (mut ask, mut open) = (PageAsk::first(AT_ONCE), Vec::new());
    loop {
        let page = session.tables.page(&listed, &ask, &()).await?;
        let last = page.rows.last().map(|row| row.place.clone());
        for (key, application) in page.rows.into_iter().filter_map(Row::keyed) {
            if application.founder_notes.is_some() {
                forget_one(session, &key, &application).await?;
            }
            if application.is_open() && open.len() < AT_ONCE {
                open.push(application);
            }
        }
        match last {
            Some(last) if page.more => ask.place = Some(last),
            _ => return Ok(open),
        }
    }
}

/// Neither the version nor the time of the change says that there were notes, because the applicant sees them.
async fn forget_one(
    session: &Session,
    key: &Key,
    application: &Application,
) -> Result<(), ChangeError<Violations>> {
    let without = Application {
        founder_notes: None,
        ..application.clone()
    };
    let forgotten = commit(session, |unit| {
        unit.update_at(key, application, &without, Condition::Exists)
            .or(NO_APPLICATION.at("id"));
    });
    match forgotten.await {
        // The application is gone.
        Ok(()) | Err(ChangeError::Refused(_)) => Ok(()),
        Err(error) => Err(error),
    }
}
