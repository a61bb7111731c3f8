//! Environment variables that look like settings and are none, so that a typing error is not taken for a default.

use std::collections::BTreeSet;

use clap::Command;

/// What the names of all settings begin with.
const PREFIX: &str = "TRESTLE_";
/// What Kubernetes sets in every container for a service of the name `trestle`, beside `TRESTLE_PORT_...`.
const KUBERNETES: [&str; 4] = [
    "TRESTLE_PORT",
    "TRESTLE_PORT_",
    "TRESTLE_SERVICE_HOST",
    "TRESTLE_SERVICE_PORT",
];

/// Why a variable of the environment is not a setting of these commands, if one is not.
pub(super) fn found(command: &Command, variables: impl Iterator<Item = String>) -> Option<String> {
    let mut known = BTreeSet::new();
    collect(command, &mut known);
    let unknown = variables.filter(|name| {
        name.starts_with(PREFIX) && !known.contains(name.as_str()) && !is_of_kubernetes(name)
    });
    // The first by name, because the order of variables is not defined.
    let name = unknown.min()?;
    let known = known.iter();
    let nearest = known.min_by_key(|known| strsim::damerau_levenshtein(known, &name))?;
    Some(format!(
        "The environment variable {name} is not a setting of this build. Did you mean {nearest}? `trestle serve --help` \
         lists all settings."
    ))
}

fn is_of_kubernetes(name: &str) -> bool {
    let [port, ports, host, service] = KUBERNETES;
    name == port || name == host || name.starts_with(ports) || name.starts_with(service)
}

fn collect<'c>(command: &'c Command, known: &mut BTreeSet<&'c str>) {
    let variables = command.get_arguments().filter_map(|arg| arg.get_env());
    known.extend(variables.filter_map(|name| name.to_str()));
    for subcommand in command.get_subcommands() {
        collect(subcommand, known);
    }
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    fn said_of(name: &str) -> Option<String> {
        let command = Command::new("trestle")
            .subcommand(Command::new("serve").arg(Arg::new("keys").env("TRESTLE_API_KEYS")));
        found(&command, [name.to_owned()].into_iter())
    }

    #[test]
    fn a_misspelt_setting_is_reported_with_the_nearest_name() {
        let said = said_of("TRESTLE_API_KEY").unwrap();
        assert!(said.contains("TRESTLE_API_KEY "), "{said}");
        assert!(said.contains("Did you mean TRESTLE_API_KEYS?"), "{said}");
    }

    #[test]
    fn settings_and_what_others_set_are_not_reported() {
        for name in [
            "TRESTLE_API_KEYS",
            "TRESTLE_PORT",
            "TRESTLE_PORT_8000_TCP_ADDR",
            "TRESTLE_SERVICE_HOST",
            "TRESTLE_SERVICE_PORT_HTTP",
            "PATH",
        ] {
            assert_eq!(said_of(name), None, "{name}");
        }
    }
}
