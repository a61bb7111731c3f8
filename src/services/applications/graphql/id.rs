//! Ids of the API: opaque, typed and stable.

use async_graphql::ID;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

use crate::services::applications::error::ChangeError;
use crate::services::applications::model::{ApplicationId, StageId};
use crate::services::applications::store::NodeKey;

const STAGE: u8 = b'S';
const ENTRY: u8 = b'H';

/// The id of an object. An application's is its UUID, which a client may have made; the ids of its stages and
/// history entries include it.
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

/// What an id identifies; `None` for text that is not an id.
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

/// The application that an id identifies.
pub fn application(id: &ID) -> Option<ApplicationId> {
    match decode(id)? {
        NodeKey::Application(id) => Some(id),
        NodeKey::Stage(..) | NodeKey::Entry(..) => None,
    }
}

/// The application that an input names.
///
/// # Errors
/// [`ChangeError::NotFound`] for the id of anything else.
pub fn named(id: &ID) -> Result<ApplicationId, ChangeError> {
    application(id).ok_or(ChangeError::NotFound)
}

/// The stage that an id identifies, and its application. A stage's UUID identifies it within `application`.
pub fn stage(id: &ID, application: Option<&ID>) -> Option<(ApplicationId, StageId)> {
    let given = application.map(self::application);
    match (decode(id)?, given) {
        (NodeKey::Stage(of, stage), None) => Some((of, stage)),
        (NodeKey::Stage(of, stage), Some(given)) => (given? == of).then_some((of, stage)),
        // A UUID reads as an application's id.
        (NodeKey::Application(ApplicationId(uuid)), Some(given)) => Some((given?, StageId(uuid))),
        (NodeKey::Application(_), None) | (NodeKey::Entry(..), _) => None,
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
