//! The services that a command is about.

use std::collections::HashSet;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};

use crate::services::registered::{Failure, Registered};
use crate::services::{self, applications};

/// Which services.
#[derive(Args, Clone, Debug)]
pub struct Services {
    /// Services, separated by commas. `serve` also serves the first at /graphql
    #[arg(
        long = "service",
        env = "TRESTLE_SERVICE",
        value_delimiter = ',',
        value_name = "NAME",
        default_value = applications::NAME,
        value_parser = PossibleValuesParser::new(services::names()).try_map(registered)
    )]
    services: Vec<&'static Registered>,
}

impl Services {
    /// The services in their order.
    ///
    /// # Errors
    /// One is named twice.
    pub fn all(&self) -> Result<&[&'static Registered], Failure> {
        let mut names = HashSet::new();
        match self.services.iter().find(|it| !names.insert(it.name)) {
            Some(Registered { name, .. }) => {
                Err(Failure::new(format!("The service {name} is named twice.")))
            }
            None => Ok(&self.services),
        }
    }

    /// Whether applications is one of them.
    pub fn has_applications(&self) -> bool {
        self.services
            .iter()
            .any(|service| service.name == applications::NAME)
    }
}

fn registered(name: String) -> Result<&'static Registered, String> {
    services::named(&name).ok_or_else(|| format!("There is no service {name}."))
}
