//! Applications for a role that is deleted: the founder's notes, which nobody could read any more, and the names of what
//! is deleted, which other programs do not store.

use trestle_api::Session;
use trestle_domain::{Id, Text, Violations};
use trestle_table::{ChangeError, PageAsk, Row};

use super::{Application, of_role};
use crate::retrying::rewrite;
use crate::roles::Role;
use crate::startups::Startup;

/// Number of applications that are read at once.
const AT_ONCE: usize = 450;

/// What is deleted, in words; `None` if it is not known.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub role_title: Option<Text<1, 120>>,
    pub startup_name: Option<Text<1, 120>>,
}

impl Names {
    /// An application with the names that it does not have.
    pub fn added_to(&self, application: &Application) -> Application {
        let own = application.clone();
        Application {
            role_title: own.role_title.or_else(|| self.role_title.clone()),
            startup_name: own.startup_name.or_else(|| self.startup_name.clone()),
            ..application.clone()
        }
    }
}

/// Deletes the notes on all applications for a role, names the role where another program has not, and returns the newest
/// applications that are open. A Query for each 450 of those that are open, have notes or have no names, and an UpdateItem for
/// each that is changed.
///
/// # Errors
/// The store does not answer.
pub async fn forget(
    session: &Session,
    startup: Id<Startup>,
    role: Id<Role>,
    names: &Names,
) -> Result<Vec<Application>, ChangeError<Violations>> {
    let listed = of_role(startup, role, None)
        .keeping("open, noted or nameless", |now: &Application| {
            now.is_open() || now.founder_notes.is_some() || !now.has_names()
        });
    let (mut ask, mut open) = (PageAsk::first(AT_ONCE), Vec::new());
    loop {
        let page = session.tables.page(&listed, &ask, &()).await?;
        let last = page.rows.last().map(|row| row.place.clone());
        for (key, application) in page.rows.into_iter().filter_map(Row::keyed) {
            // Neither the version nor the time of the change says that there were notes, because the applicant sees them.
            let without = Application {
                founder_notes: None,
                ..names.added_to(&application)
            };
            if without != application {
                rewrite(session, &key, &application, &without).await?;
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
