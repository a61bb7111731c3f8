//! What all services promise, held by tests that loop over the registry: nothing is lost, and nothing is answered that is
//! not stored or not the viewer's.

mod apart;
mod ask;
mod chaos;
mod claims;
mod clocks;
mod faketime;
mod lagging;
mod leases;
mod strangers;
