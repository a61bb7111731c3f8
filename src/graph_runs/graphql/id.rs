//! Ids of the API: opaque to clients, typed, and stable.

use async_graphql::ID;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::graph_runs::model::{RunId, Timestamp};
use crate::graph_runs::store::NodeKey;

const RUN: u8 = b'R';

/// The id of a run: its moment and its own id, which together are its place in its owner's list.
pub fn encode(key: &NodeKey) -> ID {
    let at = key.created_at.seconds().to_be_bytes();
    ID(URL_SAFE_NO_PAD.encode([&[RUN], &at[..], key.id.as_str().as_bytes()].concat()))
}

/// What an id names; `None` for text that is no id.
pub fn decode(id: &str) -> Option<NodeKey> {
    let bytes = URL_SAFE_NO_PAD.decode(id).ok()?;
    let (&RUN, rest) = bytes.split_first()? else {
        return None;
    };
    let (at, id) = rest.split_first_chunk::<8>()?;
    Some(NodeKey {
        created_at: Timestamp::from_seconds(i64::from_be_bytes(*at))?,
        id: RunId::parse(std::str::from_utf8(id).ok()?).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ids_go_round(seconds in 0i64..9_999_999_999, id in "[A-Za-z0-9_-]{1,64}") {
            let key = NodeKey {
                created_at: Timestamp::from_seconds(seconds).unwrap(),
                id: RunId::parse(&id).unwrap(),
            };
            prop_assert_eq!(decode(&encode(&key)), Some(key));
        }

        #[test]
        fn any_text_is_answered(text in "[A-Za-z0-9_-]{0,60}") {
            if let Some(key) = decode(&text) {
                prop_assert_eq!(encode(&key).0, text);
            }
        }
    }
}
