//! Saved searches in the API.

use async_graphql::{ComplexObject, Context, ID, InputObject, InputType as _, Object};

use crate::access::Party;
use crate::jobs::Job;
use crate::jobs::allowance::admit_saved;
use crate::jobs::filter::{JobFilter, Search, filtered};
use trestle_api::{
    ApiError, Connection, Input, MutationResult, Node as _, QueryResult, Revision, Session,
    Version, naming_inputs, page, session,
};
use trestle_api::{mutations, payloads};
use trestle_domain::{Check, Day, Id, List, Moment, Rule, Text, UserId, Violations};
use trestle_table::{PageAsk, Tables};

use super::{MAX_SEARCHES, SavedSearch, of_seeker};

impl SavedSearch {
    fn parsed_filter(&self) -> Option<JobFilter> {
        JobFilter::parse(self.filter.clone()).ok()
    }

    async fn found(
        &self,
        ctx: &Context<'_>,
        added_after: Option<Moment>,
    ) -> Result<Connection<Job>, ApiError> {
        let session = session(ctx)?;
        let places: Vec<_> = self.places.as_slice().iter().map(Text::to_string).collect();
        admit_saved(session, places.len()).await?;
        let mut filter = self.parsed_filter().unwrap_or_default();
        if let Some(after) = added_after {
            filter.add_after(after);
        }
        let jobs = filtered(&places, filter, Day::of(session.tables.now()))?;
        page(ctx, &jobs, &()).await
    }
}

#[ComplexObject]
impl SavedSearch {
    /// Global id: opaque and stable.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// The filter.
    #[graphql(name = "filter")]
    async fn shown_filter(&self) -> Option<JobFilter> {
        self.filter.as_ref().and_then(|_| self.parsed_filter())
    }

    /// The jobs that the search finds, the newest first, as `jobs`. A request can search up to 100 places of saved searches: each
    /// search once, for `jobs` or for `newJobs`. A place takes one Query, New York six, and one of its boroughs two; up to about
    /// ten if few of many jobs match.
    async fn jobs(&self, ctx: &Context<'_>) -> QueryResult<Connection<Job>> {
        Some(self.found(ctx, None).await)
    }

    /// Those that were added after `seenAt`.
    async fn new_jobs(&self, ctx: &Context<'_>) -> QueryResult<Connection<Job>> {
        Some(self.found(ctx, Some(self.seen_at)).await)
    }
}

/// Queries of saved searches.
#[derive(Default)]
pub struct SearchQuery;

#[Object]
impl SearchQuery {
    /// The viewer's saved searches, the oldest first: at most 20. Needs the role `seeker`.
    async fn saved_searches(&self, ctx: &Context<'_>) -> QueryResult<Vec<SavedSearch>> {
        let searches = async {
            let session = session(ctx)?;
            all_of(&session.tables, &Party::Seeker.must_be(session)?).await
        };
        Some(searches.await)
    }
}

async fn all_of(tables: &Tables, seeker: &UserId) -> Result<Vec<SavedSearch>, ApiError> {
    let ask = PageAsk::first(MAX_SEARCHES);
    let page = tables.page(&of_seeker(seeker), &ask, &()).await?;
    let searches = page.rows.into_iter().map(|row| row.entity);
    Ok(searches.collect::<Result<_, _>>()?)
}

/// A search to save.
#[derive(InputObject, Clone)]
pub struct SaveSearchInput {
    /// Id of a saved search to replace. Defaults to a new one.
    id: Option<ID>,
    /// Reject the mutation if this is not the current version.
    expected_version: Option<Version>,
    /// Name: 1 to 100 characters.
    name: Input<Text<1, 100>>,
    /// Cities, each in any spelling, with or without its region and country: 1 to 5.
    places: Vec<String>,
    /// The filter.
    filter: Option<JobFilter>,
}

naming_inputs! {
    /// A saved search to delete.
    DeleteSearchInput
}

/// Up to when the jobs of a saved search were seen.
#[derive(InputObject, Clone)]
pub struct MarkSearchSeenInput {
    /// Id of the saved search.
    id: ID,
    /// Jobs that were added until this moment were seen. Defaults to now; a later moment counts as now.
    until: Option<Input<Moment>>,
}

payloads! {
    /// The result of `saveSearch`.
    SaveSearchPayload {
        /// The search; null if it was not saved.
        search: SavedSearch
    }
    /// The result of `deleteSearch`.
    DeleteSearchPayload {
        /// The search that was deleted; null if there is none.
        search: SavedSearch
    }
    /// The result of `markSearchSeen`.
    MarkSearchSeenPayload {
        /// The search after the change; null if it was not changed.
        search: SavedSearch
    }
}

mutations! {
    /// Mutations of saved searches.
    SearchMutation {
        /// Saves a search, at most 20 for each seeker. Jobs that are added later are new. Needs the role `seeker`.
        save_search(SaveSearchInput) -> SaveSearchPayload = save,
        /// Deletes a saved search. Needs the role `seeker`.
        delete_search(DeleteSearchInput) -> DeleteSearchPayload = delete,
        /// Marks the jobs of a saved search as seen: they are no longer new. Needs the role `seeker`.
        mark_search_seen(MarkSearchSeenInput) -> MarkSearchSeenPayload = mark,
    }
}

const NO_SEARCH: Rule = Rule::NotFound("does not name a saved search of yours");

/// The identity of a search of the viewer.
fn own(id: &ID, session: &Session) -> Result<(Id<SavedSearch>, UserId), Violations> {
    let seeker = Party::Seeker.acting(session)?;
    let named = SavedSearch::named(id, session).ok();
    let named = named.filter(|(_, owner)| *owner == seeker);
    named.ok_or_else(|| NO_SEARCH.at("id"))
}

/// One Query and one PutItem for a new search; one GetItem and one UpdateItem to replace one.
async fn save(session: &Session, input: SaveSearchInput) -> MutationResult<SavedSearch> {
    let seeker = Party::Seeker.acting(session)?;
    let id = input.id.as_ref().map(|id| own(id, session)).transpose()?;
    let now = session.tables.now();
    let mut check = Check::default();
    let name = check.need("name", input.name);
    let texts = input.places.iter().map(|text| Text::parse(text));
    let places = check.need("places", List::parse(texts));
    let filter = input.filter.as_ref().map(JobFilter::to_value);
    let parsed = Search::parse(&input.places, input.filter.unwrap_or_default());
    for broken in parsed.err().into_iter().flatten() {
        match broken.field {
            "places" if places.is_none() => {}
            "places" => check.that(false, "places", broken.rule),
            _ => check.that(false, "filter", Rule::Within(vec![broken])),
        }
    }
    let search = check.finish(|| {
        Some(SavedSearch {
            seeker_id: seeker.clone(),
            search_id: Id::new(now),
            name: name?,
            places: places?,
            filter,
            seen_at: Moment::new(now),
            stamp: Revision::new(Moment::new(now)),
        })
    })?;
    let Some(id) = id else {
        let saved = all_of(&session.tables, &seeker).await;
        if saved.is_ok_and(|saved| saved.len() >= MAX_SEARCHES) {
            let rule = Rule::LimitReached("is one more than 20 saved searches: delete one");
            return Err(rule.at("name").into());
        }
        return session.tables.create(search, |_| {}).await;
    };
    let replace = |stored: &SavedSearch, _: &mut _| {
        Ok(SavedSearch {
            search_id: stored.search_id,
            seen_at: stored.seen_at,
            stamp: stored.stamp.clone(),
            ..search.clone()
        })
    };
    let expected = input.expected_version.map(u32::from);
    let replaced = session.tables.change(&id, expected, replace).await;
    replaced.map_err(|error| error.if_missing(NO_SEARCH.at("id")))
}

/// One GetItem and one TransactWriteItems.
async fn delete(session: &Session, input: DeleteSearchInput) -> MutationResult<SavedSearch> {
    let id = own(&input.id, session)?;
    let expected = input.expected_version.map(u32::from);
    let deleted = session
        .tables
        .delete(&id, expected, |_: &SavedSearch, _| Ok(()))
        .await;
    deleted.map_err(|error| error.if_missing(NO_SEARCH.at("id")))
}

/// One GetItem and one UpdateItem.
async fn mark(session: &Session, input: MarkSearchSeenInput) -> MutationResult<SavedSearch> {
    let id = own(&input.id, session)?;
    let now = session.now();
    let mut check = Check::default();
    let until = check.may_or("until", input.until, now);
    check.finish(|| Some(()))?;
    let changed = session.tables.change(&id, None, |stored: &SavedSearch, _| {
        Ok(SavedSearch {
            seen_at: stored.seen_at.max(until.min(now)),
            ..stored.clone()
        })
    });
    let marked = changed.await;
    marked.map_err(|error| error.if_missing(NO_SEARCH.at("id")))
}
