//! Reading rows of lists that people bring along: which column is which field, and what its cells say. The command and the
//! API import by it, so that a row is the same application to both.

mod columns;
mod identity;
mod pay;
mod status;
mod values;
mod words;

pub use columns::{
    CellProblem, ColumnDates, Columns, DateOrders, FieldName, Forms, ID, LeftOut, ReadRow, as_new,
    field_names, is_day, is_undated, mapping,
};
pub use identity::{IdFrom, Identity, Posting, SharedJobs};
pub use status::{status, statuses};
