//! How many places one request may search.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::searches::MAX_SEARCHES;
use trestle_api::{ApiError, Session};

use super::filter::MAX_PLACES;

/// The most places that one request searches with a filter. Each takes up to ten calls to DynamoDB. A place that consists of
/// several cities counts once: they share what is read of one.
const MAX_SEARCHED: usize = 10;
/// The most places of saved searches: all that a seeker can have, once.
const MAX_SAVED: usize = MAX_SEARCHES * MAX_PLACES;

/// How many places a request has searched with a filter.
#[derive(Default)]
struct Searched(AtomicUsize);

/// How many places of saved searches a request has searched.
#[derive(Default)]
struct SavedSearched(AtomicUsize);

/// Counts places of saved searches that are searched.
///
/// # Errors
/// BAD_USER_INPUT if the request searches more than those of 20 searches.
pub async fn admit_saved(session: &Session, places: usize) -> Result<(), ApiError> {
    let searched = session.once(async { Ok::<_, ApiError>(SavedSearched::default()) });
    let before = searched.await?.0.fetch_add(places, Relaxed);
    if before + places <= MAX_SAVED {
        Ok(())
    } else {
        Err(ApiError::bad_input(format!(
            "A request searches at most {MAX_SAVED} places of saved searches: each of the searches once."
        )))
    }
}

/// Counts places that are searched with a filter.
///
/// # Errors
/// BAD_USER_INPUT if the request searches more than 10.
pub async fn admit_search(session: &Session, places: usize) -> Result<(), ApiError> {
    let searched = session.once(async { Ok::<_, ApiError>(Searched::default()) });
    let before = searched.await?.0.fetch_add(places, Relaxed);
    if before + places <= MAX_SEARCHED {
        Ok(())
    } else {
        Err(ApiError::bad_input(format!(
            "A request searches at most {MAX_SEARCHED} places with a filter. Send several requests."
        )))
    }
}
