//! Where an import writes: one list, the part of one owner, or the parts of the owners that the lines name.

use trestle_api::viewer::Owner;
use trestle_applications::{Applications, Record, Scope};
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table};

use crate::commands::applications::whose::Whose;

/// Why a row is not imported for all owners.
pub const NOBODYS: &str = "The row does not say whose it is. Import rows with --owner NAME.";

/// Where an import writes.
pub struct Destination {
    table: Table,
    whose: Whose,
    meter: Meter,
}

impl Destination {
    /// The part of `table` that was asked for.
    pub fn new(table: Table, whose: Whose, meter: Meter) -> Self {
        Self {
            table,
            whose,
            meter,
        }
    }

    fn applications(&self, scope: Scope) -> Applications {
        let (table, meter) = (self.table.clone(), self.meter.clone());
        Applications::new(table, scope, meter, Clock::system())
    }

    /// Where rows of someone's list go; `None` if each line must name its owner.
    pub fn rows(&self) -> Option<Applications> {
        match &self.whose {
            Whose::Single => Some(self.applications(Scope::Single)),
            Whose::Owner(owner) => Some(self.applications(Scope::Of(owner.clone()))),
            Whose::AllOwners => None,
        }
    }

    /// Where a complete application goes.
    ///
    /// # Errors
    /// The line does not name its owner, or names one that was not asked for.
    pub fn of_record(&self, record: &Record) -> Result<Applications, String> {
        match (self.rows(), record.owner()) {
            (Some(applications), None) => Ok(applications),
            (Some(_), Some(_)) => Err(
                "The line is of an export of all owners. Import it with --all-owners, or export one owner's with \
                 --owner NAME."
                    .to_owned(),
            ),
            (None, Some(name)) => match Owner::new(name) {
                Some(owner) => Ok(self.applications(Scope::Of(owner))),
                None => Err(format!("`owner` must have 1 to {} bytes.", Owner::MAX)),
            },
            (None, None) => Err(
                "The line does not say whose it is. Import it with --owner NAME.".to_owned(),
            ),
        }
    }
}

/// Things for the applications of several scopes, in the order in which they came.
pub struct ByScope<T>(Vec<(Applications, Vec<T>)>);

impl<T> Default for ByScope<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> ByScope<T> {
    /// Adds one.
    pub fn add(&mut self, applications: Applications, one: T) {
        let mut known = self.0.iter_mut();
        let scope = applications.scope();
        match known.find(|(known, _)| known.scope() == scope) {
            Some((_, all)) => all.push(one),
            None => self.0.push((applications, vec![one])),
        }
    }

    /// Those of each scope.
    pub fn parts(self) -> Vec<(Applications, Vec<T>)> {
        self.0
    }
}
