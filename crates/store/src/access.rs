//! Whose jobs a call may see. Every verb that a client reaches takes it, so that none can forget the owner.

use crate::Owner;

/// Whose jobs a call may see. A job of anyone else does not exist for the call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Access {
    /// The jobs of one owner.
    Owner(Owner),
    /// The jobs of all owners.
    AllOwners,
}

impl Access {
    /// The owner's name as a parameter of a statement; `None` for all owners.
    pub fn owner(&self) -> Option<&str> {
        match self {
            Self::Owner(owner) => Some(owner.as_str()),
            Self::AllOwners => None,
        }
    }

    /// This access, limited to one owner.
    #[must_use]
    pub fn only(&self, owner: &Owner) -> Option<Self> {
        let allowed = self.owner().is_none_or(|own| own == owner.as_str());
        allowed.then(|| Self::Owner(owner.clone()))
    }
}
