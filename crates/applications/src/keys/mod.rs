//! Every key of the table `lambda_api_applications`.

mod partition;
mod place;
mod scope;
mod sorting;
mod table;

pub use partition::Partition;
pub use place::Place;
pub use scope::{
    Scope, Tenancy, marker, owner_at, registered, registries, subscription, subscriptions,
};
pub use sorting::{
    Annex, FIRST_ENTRY, application_to_stages, history, is_of_an_application, past, sequence,
    stage_id, stages, stay, updated, updated_parts, week, year, years,
};
pub use table::{GSI1, GSI2, TABLE};
