//! Which ports of TCP a rule of a security group opens.

use super::look::{Answer, at, unfit};
use super::sources::LetIn;
use crate::pipeline::graph::Values;
use crate::pipeline::value::Value;

/// What a service listens on.
#[derive(Clone, Debug)]
pub enum Port {
    /// Any port, as far as rules look at it.
    Any,
    /// This one.
    Known(u16),
    /// One that is not known: the reason.
    Unknown(String),
}

/// Whom a rule lets in, and by which ports.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Whom.
    pub let_in: LetIn,
    /// By which ports.
    pub ports: Ports,
}

/// Ports of TCP.
#[derive(Clone, Debug)]
pub enum Ports {
    /// Every one.
    All,
    /// From one to another.
    Range(u16, u16),
    /// None of them: it is about another protocol.
    None,
    /// Not known: the reason.
    Unknown(String),
}

impl Ports {
    /// Those of a rule. What a rule leaves out does not restrict it.
    pub fn of(rule: &Values) -> Self {
        let mut protocols = ["protocol", "ip_protocol"].into_iter();
        let protocol = protocols.find_map(|path| Some((path, *at(rule, path).first()?)));
        match protocol {
            Some((path, value)) => match value.as_text().map(|text| text.to_lowercase()) {
                Some(text) => match text.as_str() {
                    "-1" | "all" => Self::All,
                    "tcp" | "6" => Self::range(rule),
                    _ => Self::None,
                },
                None => Self::not_known(path, value),
            },
            None => Self::range(rule),
        }
    }

    fn range(rule: &Values) -> Self {
        let mut ends = [0, u16::MAX];
        for (end, path) in ends.iter_mut().zip(["from_port", "to_port"]) {
            let Some(value) = at(rule, path).first().copied() else {
                continue;
            };
            let number = value.as_text().and_then(|text| text.parse::<i64>().ok());
            let Some(number) = number else {
                return Self::not_known(path, value);
            };
            // Less than none stands for all.
            let Ok(port) = u16::try_from(number) else {
                return Self::All;
            };
            *end = port;
        }
        match ends {
            [0 | 1, u16::MAX] => Self::All,
            [from, to] => Self::Range(from, to),
        }
    }

    fn not_known(path: &str, value: &Value) -> Self {
        match unfit(path, value, "a port") {
            Answer::Unknown(reason) => Self::Unknown(reason),
            Answer::Yes | Answer::No => Self::All,
        }
    }

    /// Whether a service is reached by them.
    pub fn reach(&self, port: &Port) -> Answer {
        match (self, port) {
            (_, Port::Any) | (Self::All, _) => Answer::Yes,
            (Self::None, _) => Answer::No,
            (Self::Unknown(reason), _) | (Self::Range(..), Port::Unknown(reason)) => {
                Answer::Unknown(reason.clone())
            }
            (Self::Range(from, to), Port::Known(port)) => (from..=to).contains(&port).into(),
        }
    }
}
