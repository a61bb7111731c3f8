//! Who is known to a shareable: those who have opened it by its present passcodes, and for a while those who did by the
//! ones before.

use uuid::Uuid;

use super::guesses::{Guesses, GuessesId, voter_text};
use super::passcode::{Hashes, PasscodeHash};
use super::request_context::RequestContext;
use super::shareable::Shareable;
use super::short_id::ShortId;
use super::token::{Secret, ShareableRole};

/// The seals of a shareable's passcodes.
pub struct Seals {
    present: OfRoles<String>,
    earlier: OfRoles<Option<String>>,
}

struct OfRoles<T> {
    view: T,
    admin: T,
}

impl<T> OfRoles<T> {
    fn of(make: impl Fn(ShareableRole) -> T) -> Self {
        Self {
            view: make(ShareableRole::View),
            admin: make(ShareableRole::Admin),
        }
    }

    fn get(&self, role: ShareableRole) -> &T {
        match role {
            ShareableRole::View => &self.view,
            ShareableRole::Admin => &self.admin,
        }
    }
}

impl Seals {
    /// Of a shareable, or of one that is not there.
    pub fn of(context: RequestContext<'_>, found: Option<&Shareable>) -> Self {
        let secret: &Secret = &context.shared.secret;
        let seal = |hash: &PasscodeHash| secret.seal(hash);
        let earlier =
            |role| found.and_then(|found| found.earlier_hash_of(role, context.now()).map(seal));
        Self {
            present: OfRoles::of(|role| {
                found.map_or_else(String::new, |found| seal(found.hash_of(role)))
            }),
            earlier: OfRoles::of(earlier),
        }
    }

    /// The seal of the present passcode of a role.
    pub fn of_role(&self, role: ShareableRole) -> &str {
        self.present.get(role)
    }

    /// A voter's id for whoever has just opened the shareable without one: it shows by which passcode, so that it is known
    /// when it comes back.
    pub fn give(
        &self,
        context: RequestContext<'_>,
        short_id: &ShortId,
        role: ShareableRole,
        random: Uuid,
    ) -> Uuid {
        let secret = &context.shared.secret;
        secret.voter_of(short_id, self.of_role(role), random)
    }

    /// A voter who has opened the shareable by an id that the server gave out, and of whom nothing else is known.
    pub fn given(
        &self,
        context: RequestContext<'_>,
        id: &GuessesId,
        voter: Uuid,
    ) -> Option<Guesses> {
        let secret = &context.shared.secret;
        for role in [ShareableRole::View, ShareableRole::Admin] {
            let present = Some(self.present.get(role)).filter(|seal| !seal.is_empty());
            for seal in present.into_iter().chain(self.earlier.get(role)) {
                if secret.voter_of(&id.0, seal, voter) == voter {
                    let now = context.session.now();
                    return Some(Guesses::given(id.clone(), role, seal, now));
                }
            }
        }
        None
    }

    /// Whether a source has opened the shareable by the present passcode of a role, or of one that may more.
    pub fn are_known(&self, guesses: Option<&Guesses>, role: ShareableRole) -> bool {
        let knows = |role| guesses.is_some_and(|guesses| guesses.knows(role, self.of_role(role)));
        knows(role) || knows(ShareableRole::Admin)
    }

    /// As [`Seals::are_known`], by the passcode before.
    pub fn were_known(&self, guesses: Option<&Guesses>, role: ShareableRole) -> bool {
        let knew = |role| {
            let seal = self.earlier.get(role).as_deref();
            seal.is_some_and(|seal| guesses.is_some_and(|guesses| guesses.knows(role, seal)))
        };
        knew(role) || knew(ShareableRole::Admin)
    }
}

pub fn hashes_of(shareable: &Shareable) -> Hashes {
    Hashes {
        view: shareable.view_passcode.clone(),
        admin: shareable.admin_passcode.clone(),
    }
}

impl RequestContext<'_> {
    /// Those who are remembered as having opened a shareable: the voter, and the address of the request.
    pub fn sources(&self, short_id: &ShortId, voter: Option<Uuid>) -> Vec<GuessesId> {
        let network = self.presented.network().map(|network| network.to_string());
        let who = voter.map(voter_text).into_iter().chain(network);
        let secret = &self.shared.secret;
        who.map(|who| (short_id.clone(), Some(secret.source(short_id, &who))))
            .collect()
    }

    /// What tells the address of the request from others in a shared budget.
    pub fn address_hash(&self, short_id: &ShortId) -> Option<String> {
        let network = self.presented.network()?.to_string();
        let source = self.shared.secret.source(short_id, &network);
        source.get(..12).map(str::to_owned)
    }
}
