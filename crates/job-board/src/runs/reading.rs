//! Lists that runs read whole, or as much of them as a run may.

use trestle_table::{Entity, Key, Listing, PageAsk, RowPlace, TableError, Tables};

/// Items that are read together.
const PAGE: usize = 999;

/// Every readable entity of a list. One Query for about every 1,000 items.
pub async fn all_of<E: Entity + Send + Sync>(
    tables: &Tables,
    list: &Listing<E>,
) -> Result<Vec<E>, TableError> {
    some_of(tables, list, usize::MAX).await
}

/// As [`all_of`], without items of other programs whose attributes name another item: who deletes by them deletes that one.
pub async fn all_named<E: Entity + Send + Sync>(
    tables: &Tables,
    list: &Listing<E>,
) -> Result<Vec<E>, TableError> {
    let rows = rows(tables, list, usize::MAX).await?.into_iter();
    let named = rows.filter_map(|(key, entity)| {
        let is_named = entity.key() == key;
        if !is_named {
            tracing::warn!(?key, "passed over: its attributes name another item");
        }
        is_named.then_some(entity)
    });
    Ok(named.collect())
}

/// The first readable entities of a list, about as many as `most`. One Query for about every 1,000 items.
pub async fn some_of<E: Entity + Send + Sync>(
    tables: &Tables,
    list: &Listing<E>,
    most: usize,
) -> Result<Vec<E>, TableError> {
    let rows = rows(tables, list, most).await?.into_iter();
    Ok(rows.map(|(_, entity)| entity).collect())
}

async fn rows<E: Entity + Send + Sync>(
    tables: &Tables,
    list: &Listing<E>,
    most: usize,
) -> Result<Vec<(Key, E)>, TableError> {
    let (mut all, mut place) = (Vec::new(), None);
    loop {
        let (found, next) = page_with_keys(tables, list, PAGE, place).await?;
        all.extend(found);
        match next {
            Some(next) if all.len() < most => place = Some(next),
            _ => return Ok(all),
        }
    }
}

/// The readable entities of a page, and the place of the next one.
pub async fn page<E: Entity + Send + Sync>(
    tables: &Tables,
    list: &Listing<E>,
    size: usize,
    place: Option<RowPlace>,
) -> Result<(Vec<E>, Option<RowPlace>), TableError> {
    let (found, next) = page_with_keys(tables, list, size, place).await?;
    let found = found.into_iter().map(|(_, entity)| entity);
    Ok((found.collect(), next))
}

async fn page_with_keys<E: Entity + Send + Sync>(
    tables: &Tables,
    list: &Listing<E>,
    size: usize,
    place: Option<RowPlace>,
) -> Result<(Vec<(Key, E)>, Option<RowPlace>), TableError> {
    let ask = PageAsk {
        place,
        ..PageAsk::first(size)
    };
    let page = tables.page(list, &ask, &()).await?;
    let last = page.rows.last().map(|row| row.place.clone());
    let found = page.rows.into_iter().filter_map(|row| {
        let logged = row
            .entity
            .inspect_err(|error| tracing::warn!(%error, key = ?row.place.key(), "passed over"));
        Some((row.place.key().clone(), logged.ok()?))
    });
    Ok((found.collect(), last.filter(|_| page.more)))
}
