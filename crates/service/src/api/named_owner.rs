//! The parameter `owner`: whose jobs or usage to show.

use crawler_store::{Access, JobFilter, KeyRole, Owner, Store};

use super::app::App;
use super::auth::Caller;
use super::problem::Problem;

/// What the caller may see, limited to an owner if one is named. An owner that does not exist and one that the caller may not see
/// are the same problem.
pub(super) async fn access_to<S: Store>(
    app: &App<S>,
    caller: &Caller,
    owner: Option<&str>,
) -> Result<Access, Problem> {
    let Some(name) = owner else {
        return Ok(caller.access());
    };
    let owner = Owner::parse(name).ok_or_else(|| {
        let max = Owner::MAX_LENGTH;
        let message =
            format!("owner: must be the name of a key, 1 to {max} characters on one line");
        Problem::invalid("owner", message)
    })?;
    let is_visible =
        owner == caller.owner || (caller.role == KeyRole::Admin && exists(app, &owner).await?);
    let access = caller.access().only(&owner).filter(|_| is_visible);
    access.ok_or_else(Problem::no_such_owner)
}

/// Whether there is, or was, a key with this name.
async fn exists<S: Store>(app: &App<S>, owner: &Owner) -> Result<bool, Problem> {
    if owner.as_str() == Owner::LOCAL || app.keys().configures(owner) {
        return Ok(true);
    }
    let keys = app.store().keys().await?;
    if keys.iter().any(|key| key.name == *owner) {
        return Ok(true);
    }
    // A key that was removed from the configuration may have left jobs.
    let access = Access::Owner(owner.clone());
    let jobs = app
        .store()
        .jobs(&access, JobFilter::default(), 1, None)
        .await?;
    Ok(!jobs.entries.is_empty())
}
