//! Incoming rules of security groups: whom they let in, and by which ports of TCP.

use super::look::{Answer, at, why_unfit};
use super::sources::LetIn;
use crate::graph::Values;

/// The port that a service listens on.
#[derive(Clone, Debug)]
pub enum Port {
    /// Any port: rules do not look at it.
    Any,
    /// This port.
    Known(u16),
    /// Not known: the reason.
    Unknown(String),
}

#[derive(Clone, Debug)]
pub struct Ingress {
    /// Whom it lets in.
    pub let_in: LetIn,
    /// By which ports.
    pub ports: TcpPorts,
}

#[derive(Clone, Debug)]
pub enum TcpPorts {
    /// Every one.
    All,
    /// From one to another.
    Range(u16, u16),
    /// None of them: it is about another protocol.
    None,
    /// Not known: the reason.
    Unknown(String),
}

impl TcpPorts {
    /// Those of a rule. What a rule leaves out does not restrict it.
    pub fn of(rule: &Values) -> Self {
        let mut protocols = ["protocol", "ip_protocol"].into_iter();
        let protocol = protocols.find_map(|path| Some((path, *at(rule, path).first()?)));
        match protocol {
            Some((path, value)) => match value.as_text().map(|text| text.to_lowercase()) {
                Some(text) => match text.as_str() {
                    // `-1` is every protocol, and 6 is the number of TCP.
                    "-1" | "all" => Self::All,
                    "tcp" | "6" => Self::range(rule),
                    _ => Self::None,
                },
                None => Self::Unknown(why_unfit(path, value, "a protocol")),
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
                return Self::Unknown(why_unfit(path, value, "a port"));
            };
            // A port of -1 stands for all.
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

    /// Whether they include the port of a service.
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
