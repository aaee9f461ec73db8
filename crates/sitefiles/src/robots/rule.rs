//! One `Allow` or `Disallow` line that applies to our agent.

use std::cmp::Reverse;

use super::RobotsMatch;
use super::line::Field;
use super::pattern::Pattern;

/// Precedence of matching rules, lowest first: more octets, then `Allow`.
pub(super) type Rank = (Reverse<usize>, bool);

#[derive(Debug)]
pub(super) struct Rule {
    pattern: Pattern,
    rank: Rank,
    allows: bool,
    /// The line as written, to report why a page was skipped.
    text: Box<str>,
}

impl Rule {
    pub(super) fn read(field: Field, value: &[u8], text: &[u8]) -> Rule {
        let pattern = Pattern::read(value);
        let allows = field == Field::Allow;
        let rank = (Reverse(pattern.octets()), !allows);
        Rule {
            pattern,
            rank,
            allows,
            text: String::from_utf8_lossy(text).into(),
        }
    }

    /// The additional rule that `Allow: /folder/index.html` implies: `/folder/` is allowed too.
    ///
    /// This is Google's interpretation, not the RFC's. A site that allows its front page by file name
    /// and forbids the rest has tested that with Google, and means the page at `/`.
    pub(super) fn directory_of_index(value: &[u8], text: &[u8]) -> Option<Rule> {
        let slash = memchr::memrchr(b'/', value)?;
        let (folder, file) = value.split_at_checked(slash + 1)?;
        let exactly = || [folder, b"$"].concat();
        file.starts_with(b"index.htm")
            .then(|| Rule::read(Field::Allow, &exactly(), text))
    }

    pub(super) fn rank(&self) -> Rank {
        self.rank
    }

    pub(super) fn prefix(&self) -> &[u8] {
        &self.pattern.prefix
    }

    /// Whether it matches a path that begins with its prefix and continues with `rest`.
    pub(super) fn matches_rest(&self, rest: &[u8]) -> bool {
        self.pattern.matches_rest(rest)
    }

    pub(super) fn as_match(&self) -> RobotsMatch<'_> {
        if self.allows {
            RobotsMatch::AllowedBy(&self.text)
        } else {
            RobotsMatch::DisallowedBy(&self.text)
        }
    }
}
