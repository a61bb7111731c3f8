//! Logs, metrics and traces of a server in a process of its own, as its operator sees them.

mod collector;
mod logs;
mod metrics;
mod server;
mod traces;
