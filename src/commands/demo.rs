//! Sample data for `trestle serve --demo`: each service makes its own, by its own API.

use std::fmt::Write as _;

use clap::ArgMatches;
use futures_util::future::try_join_all;
use url::Url;

use trestle_server::FrontEnd;
use trestle_service::{Demo, DemoClock, Failure, Sample};

use super::chosen::Services;
use super::store::Store;

/// Opens each service on a clock that its demo sets.
///
/// # Errors
/// A service does not open.
pub async fn open<'a>(
    which: &Services,
    store: &'a Store,
    arguments: &'a ArgMatches,
) -> Result<Vec<Demo<'a>>, Failure> {
    let mut demos = Vec::new();
    for registered in which.all()?.iter().copied() {
        let clock = DemoClock::new(store.clock());
        let context = store.service_context_at(clock.clock(), registered, arguments);
        demos.push(Demo::open(registered, &context.await?, clock).await?);
    }
    Ok(demos)
}

/// Has each service make its sample data. Returns what there is to see, in lines.
///
/// # Errors
/// A service refuses a request.
pub async fn fill(
    demos: &[Demo<'_>],
    origin: &Url,
    pages: &[&FrontEnd],
) -> Result<String, Failure> {
    let samples = try_join_all(demos.iter().map(|demo| demo.fill(origin))).await?;
    let mut lines = String::new();
    for (demo, samples) in demos.iter().zip(samples) {
        let service = demo.service().name();
        let page = pages.iter().find(|page| page.service == service);
        for sample in samples {
            let Sample {
                name,
                fragment,
                needs,
            } = sample;
            let place = match page {
                Some(page) => format!("{}{fragment}", page.path),
                None => format!("/{service}/graphql"),
            };
            let place = origin.join(&place)?;
            let _ = write!(lines, "  {name} is at {place}");
            if !needs.is_empty() {
                let _ = write!(lines, " ({needs})");
            }
            lines.push('\n');
        }
    }
    Ok(lines)
}
