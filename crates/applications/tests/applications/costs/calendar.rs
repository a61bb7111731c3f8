//! Operations on the calendar's address, which cost the same whatever else is stored.

use serde_json::json;

use crate::ask::start;

use super::{GET, Line, WRITE, lines, measure, mutation, query};

/// The lines of these operations.
pub async fn measured() -> Vec<Line> {
    let (api, _) = start().await;
    let both = [GET, WRITE];
    let cases = [
        mutation(
            "`createCalendarAddress`",
            "createCalendarAddress",
            json!({}),
            &[WRITE],
        ),
        query(
            "`calendarAddress`",
            "calendarAddress",
            "{ calendarAddress { createdAt } }",
            json!({}),
            &[GET],
        ),
        mutation(
            "`renewCalendarAddress`",
            "renewCalendarAddress",
            json!({}),
            &both,
        ),
        mutation(
            "`revokeCalendarAddress`",
            "revokeCalendarAddress",
            json!({}),
            &both,
        ),
    ];
    let first = measure(&api, "one address", &cases).await;
    let again = measure(&api, "another address", &cases).await;
    lines(first, again)
}
