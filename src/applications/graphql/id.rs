//! Ids of the API: opaque to clients, typed, and stable.

use async_graphql::ID;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

use crate::applications::model::{ApplicationId, StageId};
use crate::applications::store::NodeKey;

const STAGE: u8 = b'S';
const ENTRY: u8 = b'H';

/// The id of a thing. An application's is its UUID, which a client may have made; what belongs to an
/// application carries that in its own id, so that it can be found.
pub fn encode(key: NodeKey) -> ID {
    let opaque = |kind: u8, application: ApplicationId, rest: &[u8]| {
        URL_SAFE_NO_PAD.encode([&[kind], application.0.as_bytes().as_slice(), rest].concat())
    };
    ID(match key {
        NodeKey::Application(id) => id.to_string(),
        NodeKey::Stage(id, stage) => opaque(STAGE, id, stage.0.as_bytes()),
        NodeKey::Entry(id, sequence) => opaque(ENTRY, id, &sequence.to_be_bytes()),
    })
}

/// What an id names; `None` for text that is no id.
pub fn decode(id: &str) -> Option<NodeKey> {
    if let Ok(id) = id.parse() {
        return Some(NodeKey::Application(id));
    }
    let bytes = URL_SAFE_NO_PAD.decode(id).ok()?;
    let (kind, rest) = bytes.split_first()?;
    let (application, rest) = rest.split_first_chunk::<16>()?;
    let application = ApplicationId(Uuid::from_bytes(*application));
    match *kind {
        STAGE => Some(NodeKey::Stage(
            application,
            StageId(Uuid::from_slice(rest).ok()?),
        )),
        ENTRY => Some(NodeKey::Entry(
            application,
            u32::from_be_bytes(rest.try_into().ok()?),
        )),
        _ => None,
    }
}

/// The application that an id names.
pub fn application(id: &ID) -> Option<ApplicationId> {
    match decode(id)? {
        NodeKey::Application(id) => Some(id),
        NodeKey::Stage(..) | NodeKey::Entry(..) => None,
    }
}

/// The stage that an id names, and its application.
pub fn stage(id: &ID) -> Option<(ApplicationId, StageId)> {
    match decode(id)? {
        NodeKey::Stage(id, stage) => Some((id, stage)),
        NodeKey::Application(_) | NodeKey::Entry(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ids_go_round(a in any::<u128>(), b in any::<u128>(), sequence in any::<u32>()) {
            let application = ApplicationId(Uuid::from_u128(a));
            for key in [
                NodeKey::Application(application),
                NodeKey::Stage(application, StageId(Uuid::from_u128(b))),
                NodeKey::Entry(application, sequence),
            ] {
                prop_assert_eq!(decode(&encode(key)), Some(key));
            }
        }

        #[test]
        fn any_text_is_answered(text in "[A-Za-z0-9_-]{0,60}") {
            if let Some(key @ (NodeKey::Stage(..) | NodeKey::Entry(..))) = decode(&text) {
                prop_assert_eq!(encode(key).0, text);
            }
        }
    }
}
