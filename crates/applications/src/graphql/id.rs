//! Ids of the API: opaque, typed and stable.

use async_graphql::ID;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

use crate::error::ChangeError;
use crate::model::{ApplicationId, StageId};
use crate::store::{Applications, NodeKey};

const STAGE: u8 = b'S';
const ENTRY: u8 = b'H';
const CONTACT: u8 = b'C';
const FILE: u8 = b'F';
/// The same of ids that are not UUIDs as we write them: their texts, the application's after its length.
const APPLICATION_TEXT: u8 = b'a';
const STAGE_TEXT: u8 = b's';
const ENTRY_TEXT: u8 = b'h';
const CONTACT_TEXT: u8 = b'c';
const FILE_TEXT: u8 = b'f';

/// The id of an object. An application's is the text of its key, which a client may have made; the ids of its stages
/// and history entries include it.
pub fn encode(key: &NodeKey) -> ID {
    ID(match key {
        NodeKey::Application(id) if is_opaque(id.as_str()) => {
            opaque(APPLICATION_TEXT, &[id.as_str().as_bytes()])
        }
        NodeKey::Application(id) => id.to_string(),
        NodeKey::Stage(id, stage) => match (id.uuid(), stage.uuid()) {
            (Some(id), Some(stage)) => opaque(STAGE, &[id.as_bytes(), stage.as_bytes()]),
            _ => opaque(
                STAGE_TEXT,
                &[
                    &length(id),
                    id.as_str().as_bytes(),
                    stage.as_str().as_bytes(),
                ],
            ),
        },
        NodeKey::Entry(id, sequence) => match id.uuid() {
            Some(id) => opaque(ENTRY, &[id.as_bytes(), &sequence.to_be_bytes()]),
            None => opaque(
                ENTRY_TEXT,
                &[&length(id), id.as_str().as_bytes(), &sequence.to_be_bytes()],
            ),
        },
        NodeKey::Contact(id, contact) => attached([CONTACT, CONTACT_TEXT], id, contact),
        NodeKey::File(id, file) => attached([FILE, FILE_TEXT], id, file),
    })
}

/// The id of an entry of a list of an application.
fn attached([kind, kind_text]: [u8; 2], id: &ApplicationId, entry: &Uuid) -> String {
    match id.uuid() {
        Some(id) => opaque(kind, &[id.as_bytes(), entry.as_bytes()]),
        None => opaque(
            kind_text,
            &[&length(id), id.as_str().as_bytes(), entry.as_bytes()],
        ),
    }
}

fn opaque(kind: u8, parts: &[&[u8]]) -> String {
    URL_SAFE_NO_PAD.encode([&[kind], parts.concat().as_slice()].concat())
}

/// An id has at most 1,000 bytes.
fn length(id: &ApplicationId) -> [u8; 2] {
    u16::try_from(id.as_str().len())
        .unwrap_or(u16::MAX)
        .to_be_bytes()
}

/// What an id identifies; `None` for text that is not an id.
pub fn decode(id: &str) -> Option<NodeKey> {
    decode_opaque(id).or_else(|| ApplicationId::stored(id).map(NodeKey::Application))
}

/// Whether an application's id reads as the id of something else, and so cannot stand for itself.
fn is_opaque(id: &str) -> bool {
    decode_opaque(id).is_some()
}

fn application_in(text: &[u8]) -> Option<ApplicationId> {
    ApplicationId::stored(std::str::from_utf8(text).ok()?)
}

fn decode_opaque(id: &str) -> Option<NodeKey> {
    let bytes = URL_SAFE_NO_PAD.decode(id).ok()?;
    let (kind, rest) = bytes.split_first()?;
    Some(match *kind {
        STAGE | ENTRY | CONTACT | FILE => {
            let (application, rest) = rest.split_first_chunk::<16>()?;
            let application = ApplicationId::new(Uuid::from_bytes(*application));
            match *kind {
                STAGE => NodeKey::Stage(application, StageId::new(Uuid::from_slice(rest).ok()?)),
                CONTACT => NodeKey::Contact(application, Uuid::from_slice(rest).ok()?),
                FILE => NodeKey::File(application, Uuid::from_slice(rest).ok()?),
                _ => NodeKey::Entry(application, u32::from_be_bytes(rest.try_into().ok()?)),
            }
        }
        STAGE_TEXT | ENTRY_TEXT | CONTACT_TEXT | FILE_TEXT => {
            let (length, rest) = rest.split_first_chunk::<2>()?;
            let (application, rest) =
                rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
            let application = application_in(application)?;
            // An object has one id, so the form for texts is refused if UUIDs say the same.
            match (*kind, application.uuid()) {
                (STAGE_TEXT, application_uuid) => {
                    let stage = StageId::stored(std::str::from_utf8(rest).ok()?)?;
                    if application_uuid.is_some() && stage.uuid().is_some() {
                        return None;
                    }
                    NodeKey::Stage(application, stage)
                }
                (_, Some(_)) => return None,
                (CONTACT_TEXT, None) => NodeKey::Contact(application, Uuid::from_slice(rest).ok()?),
                (FILE_TEXT, None) => NodeKey::File(application, Uuid::from_slice(rest).ok()?),
                (_, None) => NodeKey::Entry(application, u32::from_be_bytes(rest.try_into().ok()?)),
            }
        }
        APPLICATION_TEXT => {
            let application = application_in(rest)?;
            is_opaque(application.as_str()).then_some(NodeKey::Application(application))?
        }
        _ => return None,
    })
}

/// The application that an id identifies.
pub fn application(id: &ID) -> Option<ApplicationId> {
    match decode(id)? {
        NodeKey::Application(id) => Some(id),
        NodeKey::Stage(..) | NodeKey::Entry(..) | NodeKey::Contact(..) | NodeKey::File(..) => None,
    }
}

/// The application that an input names.
///
/// # Errors
/// [`ChangeError::NotFound`] for the id of anything else; [`ChangeError::Store`].
pub async fn named(store: &Applications, id: &ID) -> Result<ApplicationId, ChangeError> {
    let id = application(id).ok_or(ChangeError::NotFound)?;
    Ok(store.spelled(id).await?)
}

/// The stage that an id identifies, and its application. The last part of a stage's key identifies it within
/// `application`.
pub fn stage(id: &ID, application: Option<&ID>) -> Option<(ApplicationId, StageId)> {
    let given = application.map(self::application);
    match (decode(id)?, given) {
        (NodeKey::Stage(of, stage), None) => Some((of, stage)),
        (NodeKey::Stage(of, stage), Some(given)) => {
            let given = given?;
            let is_same = given == of || given.respelled().as_ref() == Some(&of);
            is_same.then_some((of, stage))
        }
        // It reads as an application's id.
        (NodeKey::Application(text), Some(given)) => {
            Some((given?, StageId::stored(text.as_str())?))
        }
        (NodeKey::Application(_), None)
        | (NodeKey::Entry(..) | NodeKey::Contact(..) | NodeKey::File(..), _) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Ids as we write them, and as others do.
    fn text() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<u128>().prop_map(|id| Uuid::from_u128(id).hyphenated().to_string()),
            any::<u128>().prop_map(|id| Uuid::from_u128(id).simple().to_string()),
            "[0-9A-HJKMNP-TV-Z]{26}",
            "\\PC{1,40}",
            prop::collection::vec(any::<u8>(), 1..30).prop_map(|bytes| {
                let kinds = [
                    STAGE,
                    ENTRY,
                    CONTACT,
                    FILE,
                    APPLICATION_TEXT,
                    STAGE_TEXT,
                    ENTRY_TEXT,
                    CONTACT_TEXT,
                    FILE_TEXT,
                ];
                opaque(kinds[usize::from(bytes[0]) % kinds.len()], &[&bytes[1..]])
            }),
        ]
    }

    fn encoded_twice(id: &str) -> String {
        encode(&NodeKey::Application(ApplicationId::stored(id).unwrap())).0
    }

    proptest! {
        #[test]
        fn every_id_is_read_as_it_was_written(
            a in text(), b in text(), sequence in any::<u32>(), entry in any::<u128>(),
        ) {
            let application = ApplicationId::stored(&a).unwrap();
            let stage = StageId::stored(&b).unwrap();
            let encoded = encoded_twice(&a);
            for key in [
                NodeKey::Application(application.clone()),
                NodeKey::Application(ApplicationId::stored(&encoded).unwrap()),
                NodeKey::Stage(application.clone(), stage),
                NodeKey::Contact(application.clone(), Uuid::from_u128(entry)),
                NodeKey::File(application.clone(), Uuid::from_u128(entry)),
                NodeKey::Entry(application, sequence),
            ] {
                prop_assert_eq!(decode(&encode(&key)), Some(key));
            }
        }

        #[test]
        fn an_object_has_one_id(text in text()) {
            if let Some(key) = decode(&text) {
                prop_assert_eq!(encode(&key).0, text);
            }
        }
    }
}
