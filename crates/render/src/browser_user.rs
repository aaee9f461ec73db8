//! The user the browser runs as: the current one, or an unprivileged one if that is root.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A dedicated user, or else the one that exists on every system.
const NAMES: [&str; 2] = ["crawler-browser", "nobody"];

/// An unprivileged user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BrowserUser {
    pub(crate) user: u32,
    pub(crate) group: u32,
}

impl BrowserUser {
    /// Returns the user to switch to; `None` if we are not root.
    pub(crate) fn needed() -> io::Result<Option<Self>> {
        if !rustix::process::geteuid().is_root() {
            return Ok(None);
        }
        let users = fs::read_to_string("/etc/passwd")?;
        let found = NAMES.iter().find_map(|name| Self::named(&users, name));
        found.map(Some).ok_or_else(|| {
            let message =
                "a browser must not run as root, and there is no user `nobody` to run it as";
            io::Error::other(message)
        })
    }

    /// Returns the first folder on a path that this user cannot enter.
    pub(crate) fn inaccessible_folder(self, path: &Path) -> Option<PathBuf> {
        let folders = path.ancestors().skip(1);
        let closed = folders.filter(|folder| {
            folder.metadata().is_ok_and(|about| {
                let open = match (about.uid() == self.user, about.gid() == self.group) {
                    (true, _) => 0o100,
                    (false, true) => 0o010,
                    (false, false) => 0o001,
                };
                about.mode() & open == 0
            })
        });
        closed.last().map(Path::to_owned)
    }

    fn named(users: &str, name: &str) -> Option<Self> {
        let fields = users
            .lines()
            .map(|line| line.split(':').collect::<Vec<_>>())
            .find(|fields| fields.first() == Some(&name))?;
        let user = fields.get(2)?.parse().ok()?;
        let group = fields.get(3)?.parse().ok()?;
        (user != 0 && group != 0).then_some(Self { user, group })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_others_cannot_enter() {
        use std::os::unix::fs::PermissionsExt;
        let nobody = BrowserUser {
            user: 65_534,
            group: 65_534,
        };
        let folder = tempfile::tempdir().unwrap();
        let mode =
            |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
        let inside = folder.path().join("profile");
        mode(0o755);
        assert_eq!(nobody.inaccessible_folder(&inside), None);
        mode(0o700);
        assert_eq!(
            nobody.inaccessible_folder(&inside),
            Some(folder.path().to_owned())
        );
    }

    #[test]
    fn a_named_user_is_found_and_never_root() {
        let users = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65533:nobody:/:/no\n";
        let nobody = Some(BrowserUser {
            user: 65_534,
            group: 65_533,
        });
        assert_eq!(BrowserUser::named(users, "nobody"), nobody);
        assert_eq!(BrowserUser::named(users, "root"), None);
        assert_eq!(BrowserUser::named(users, "no"), None);
        assert_eq!(BrowserUser::named("nobody:x::", "nobody"), None);
    }
}
