//! How the values of settings are read: switches, times, addresses, and numbers that nothing works
//! without. Says what to give instead. Knows no setting by name.

use std::ffi::OsStr;
use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::num::NonZeroU64;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command};
use http::uri::Authority;

/// The longest time that can be set, in hours: 136 years, so that it can be added to any moment.
const MOST_HOURS: u64 = 1_193_046;

/// Reads a switch's environment variable: `true`, `1`, `yes`, `on` or `false`, `0`, `no`, `off`, in any
/// case. An empty one counts as left out: a compose file passes unset variables so. Anything else is
/// refused with the variable's name, because a typing error must not turn off what protects.
#[derive(Clone, Copy, Debug)]
pub struct Switch;

impl TypedValueParser for Switch {
    type Value = bool;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<bool, clap::Error> {
        let given = value.to_string_lossy();
        match given.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Ok(true),
            "" | "false" | "0" | "no" | "off" => Ok(false),
            _ => {
                let name = arg.and_then(Arg::get_env).unwrap_or_default();
                let name = name.to_string_lossy();
                let message = format!(
                    "{name} is {given:?}, which is neither true nor false: give true, 1, yes or on, or \
                     false, 0, no or off.\n"
                );
                Err(clap::Error::raw(ErrorKind::InvalidValue, message).with_cmd(command))
            }
        }
    }
}

/// Reads `10s`, `500ms`, `2m` or `1h`.
///
/// # Errors
/// A sentence that says what to give.
pub fn time(text: &str) -> Result<Duration, String> {
    const FORM: &str = "give a time like 10s, 500ms, 2m or 1h";
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let number: u64 = digits.parse().map_err(|_| FORM)?;
    let milliseconds = match &text[digits.len()..] {
        "ms" => 1,
        "s" => 1000,
        "m" => 60 * 1000,
        "h" => 60 * 60 * 1000,
        "" => return Err(format!("{FORM}, with its unit")),
        _ => return Err(FORM.to_owned()),
    };
    number
        .checked_mul(milliseconds)
        .filter(|time| *time <= MOST_HOURS * 60 * 60 * 1000)
        .map(Duration::from_millis)
        .ok_or_else(|| format!("give at most {MOST_HOURS}h"))
}

/// Reads a time as [`time`] does, or a number alone, which is seconds.
///
/// # Errors
/// A sentence that says what to give.
pub fn time_or_seconds(text: &str) -> Result<Duration, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number {
        time(&format!("{text}s"))
    } else {
        time(text)
    }
}

/// The same time, unless it is none.
///
/// # Errors
/// A sentence that says what to give.
pub fn above_zero(time: Duration) -> Result<Duration, String> {
    match time {
        Duration::ZERO => Err("give a time greater than 0, like 10s".to_owned()),
        time => Ok(time),
    }
}

/// Reads a time that something has to happen in, or is repeated after: never none.
///
/// # Errors
/// A sentence that says what to give.
pub fn period(text: &str) -> Result<Duration, String> {
    above_zero(time(text)?)
}

/// Reads a whole number of at least 1.
///
/// # Errors
/// A sentence that says what to give.
pub fn at_least_one<T: FromStr>(text: &str) -> Result<T, String> {
    NonZeroU64::from_str(text).map_err(|_| "give a whole number, 1 or more".to_owned())?;
    text.parse().map_err(|_| "give a smaller number".to_owned())
}

/// Reads the name of a table. It becomes part of policies and templates, where `*` would mean other tables.
/// Source: "Supported data types and naming rules in Amazon DynamoDB", the DynamoDB Developer Guide.
///
/// # Errors
/// A sentence that says what to give.
pub fn table_name(text: &str) -> Result<String, String> {
    let mut bytes = text.bytes();
    if (3..=255).contains(&text.len())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
    {
        Ok(text.to_owned())
    } else {
        Err("give 3 to 255 letters, digits, _, - and .".to_owned())
    }
}

/// Reads the name of a bucket of S3, which becomes part of policies.
/// Source: "General purpose bucket naming rules", the Amazon S3 User Guide.
///
/// # Errors
/// A sentence that says what to give.
pub fn bucket_name(text: &str) -> Result<String, String> {
    let is_name = (3..=63).contains(&text.len())
        && text.split('.').all(is_label)
        && text.parse::<Ipv4Addr>().is_err();
    if is_name {
        Ok(text.to_owned())
    } else {
        Err("give 3 to 63 lower-case letters, digits, - and ., as in my-files".to_owned())
    }
}

fn is_label(label: &str) -> bool {
    label.starts_with(is_lower_or_digit)
        && label.ends_with(is_lower_or_digit)
        && label.chars().all(|c| is_lower_or_digit(c) || c == '-')
}

fn is_lower_or_digit(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit()
}

/// Reads a host that requests may name, with or without a port. An empty one counts as left out: a compose file passes
/// unset variables so.
///
/// # Errors
/// A sentence that says what to give.
pub fn host(text: &str) -> Result<String, String> {
    let host = text.trim().to_ascii_lowercase();
    let is_host = host.parse::<Authority>().is_ok_and(|authority| {
        // In `a:` and `a:99999`, the text has a port and the authority has none.
        let name = authority.host();
        let port = authority.port_u16().map(|port| format!(":{port}"));
        (1..=253).contains(&name.len()) && host == name.to_owned() + &port.unwrap_or_default()
    });
    let mut bytes = host.bytes();
    if host.is_empty()
        || is_host && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte))
    {
        Ok(host)
    } else {
        Err("give a host like api.example.com, without https:// and without *".to_owned())
    }
}

/// Reads an address and a port: `127.0.0.1:8000`, `[::1]:8000`, or a name with a port, which is looked
/// up. Of a name's addresses an IPv4 one is taken before others, as the default is one.
///
/// # Errors
/// A sentence that says what to give.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let form = "give an address and a port, like 127.0.0.1:8000";
    let Some((host, port)) = text.rsplit_once(':') else {
        return Err(form.to_owned());
    };
    if host.is_empty() || host.contains([':', '/']) || port.parse::<u16>().is_err() {
        return Err(form.to_owned());
    }
    let found: Vec<_> = text
        .to_socket_addrs()
        .map_err(|error| format!("{host} cannot be found ({error}): {form}"))?
        .collect();
    let first = found.iter().find(|address| address.is_ipv4());
    first
        .or(found.first())
        .copied()
        .ok_or_else(|| format!("{host} has no address: {form}"))
}
