//! The server from outside: real HTTP against a service made for the purpose.

mod documents;
mod errors;
mod http;
mod overload;
mod persisted;
mod routes;
mod settings;
mod stopping;
mod support;
