//! The services that a command is about.

use std::collections::HashSet;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};

use crate::services;
use trestle_service::{Failure, Registered};

/// Which services.
#[derive(Args, Clone, Debug)]
pub struct Services {
    /// Services, separated by commas. `serve` also serves the first at /graphql
    #[arg(
        long = "service",
        env = "TRESTLE_SERVICE",
        value_delimiter = ',',
        value_name = "NAME",
        default_value = services::first(),
        value_parser = PossibleValuesParser::new(choices()).try_map(registered)
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
}

/// The names that are accepted. Those of services that this build leaves out are refused with how to build them.
fn choices() -> impl Iterator<Item = PossibleValue> {
    let left_out = services::LEFT_OUT.iter();
    services::names()
        .map(PossibleValue::new)
        .chain(left_out.map(|name| PossibleValue::new(name).hide(true)))
}

fn registered(name: String) -> Result<&'static Registered, String> {
    services::named(&name).ok_or_else(|| {
        format!(
            "this build does not have the service {name}. Build it with `cargo build --release --features {name}`, or \
             with `--features full` for all services"
        )
    })
}
