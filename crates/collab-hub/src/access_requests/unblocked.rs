//! Open requests of users whom the founder has blocked stay out of the founder's list. Nobody is told, and they are listed
//! again once the block is taken back.

use std::collections::HashSet;

use trestle_api::Session;
use trestle_domain::UserId;
use trestle_table::{TableError, VisibilityFilter};

use super::{AccessRequest, AccessStatus};
use crate::blocks::Block;

/// Lets through the requests of a founder's list, without open ones of blocked users. One BatchGetItem for the open requests
/// of a page; none without any.
pub struct OfUnblocked<'s>(pub &'s Session);

impl VisibilityFilter<AccessRequest> for OfUnblocked<'_> {
    async fn admit(&self, requests: &[&AccessRequest]) -> Result<Vec<bool>, TableError> {
        let is_open = |request: &&&AccessRequest| request.status == AccessStatus::Pending;
        let open = requests.iter().filter(is_open);
        let pair =
            |request: &&AccessRequest| (request.founder_id.clone(), request.requester_id.clone());
        let mut pairs: Vec<_> = open.map(pair).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let found = self.0.tables.batch::<Block>(&pairs).await?;
        let blocked = pairs.into_iter().zip(found);
        // A block that cannot be read is one all the same.
        let blocked: HashSet<UserId> = blocked
            .filter_map(|((_, requester), block)| block.map(|_| requester))
            .collect();
        let admit = |request: &&AccessRequest| {
            request.status != AccessStatus::Pending || !blocked.contains(&request.requester_id)
        };
        Ok(requests.iter().map(admit).collect())
    }
}
