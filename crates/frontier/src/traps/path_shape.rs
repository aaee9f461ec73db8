//! Paths that grow by themselves: a relative link that should have been absolute, a symlink loop.

const MAX_SEGMENTS: usize = 20;
const MAX_IN_A_ROW: usize = 2;
const MAX_ANYWHERE: usize = 3;

/// The same segment more than twice in a row or more than three times anywhere, or very many segments.
pub(super) fn is_pathological(path: &str) -> bool {
    let mut segments = [""; MAX_SEGMENTS];
    let mut in_a_row = 0;
    let named = path.split('/').filter(|segment| !segment.is_empty());
    for (count, segment) in named.enumerate() {
        if count == MAX_SEGMENTS {
            return true;
        }
        in_a_row = if count > 0 && segments[count - 1] == segment {
            in_a_row + 1
        } else {
            1
        };
        let anywhere = 1 + segments[..count]
            .iter()
            .filter(|earlier| **earlier == segment)
            .count();
        if in_a_row > MAX_IN_A_ROW || anywhere > MAX_ANYWHERE {
            return true;
        }
        segments[count] = segment;
    }
    false
}
