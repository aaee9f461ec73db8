//! Mutates pages: combines two, changes bytes, inserts tokens of HTML and Markdown.

/// Tokens to insert; the fuzzer's own dictionary is longer.
const TOKENS: [&str; 60] = [
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<i>",
    "</i>",
    "<code>",
    "</code>",
    "<pre>",
    "</pre>",
    "<a href=/u>",
    "</a>",
    "<ul>",
    "</ul>",
    "<li>",
    "<ol start=9>",
    "<table>",
    "</table>",
    "<tr>",
    "<td>",
    "<th colspan=2>",
    "<blockquote>",
    "</blockquote>",
    "<h2>",
    "</h2>",
    "<br>",
    "<hr>",
    "<img src=/i alt='",
    "<script>",
    "</script>",
    "<svg>",
    "</svg>",
    "<math>",
    "<template>",
    "<select>",
    "<button>",
    "</button>",
    "<sup>",
    "<dl><dt>",
    "<dd>",
    "<!--",
    "-->",
    "'",
    "\"",
    "&lt;script>",
    "&amp;",
    "&#x3c;",
    "&nbsp;",
    "*",
    "_",
    "`",
    "```",
    "[",
    "](",
    "]: ",
    "|",
    "\\",
    "# ",
    "- ",
    "\n",
];

pub(crate) struct Mutator {
    state: u64,
}

impl Mutator {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// One of the pages, changed in a few places.
    pub(crate) fn change(&mut self, pages: &[Vec<u8>]) -> Vec<u8> {
        let mut page = pages[self.below(pages.len())].clone();
        for _ in 0..=self.below(6) {
            let at = self.below(page.len() + 1);
            let end = (at + self.below(24)).min(page.len());
            match self.below(8) {
                0 => drop(page.drain(at..end)),
                1 => {
                    let part = page[at..end].to_vec();
                    let to = self.below(page.len() + 1);
                    page.splice(to..to, part);
                }
                2 => {
                    let other = &pages[self.below(pages.len())];
                    let from = self.below(other.len() + 1);
                    let until = (from + self.below(200)).min(other.len());
                    page.splice(at..at, other[from..until].iter().copied());
                }
                3 => {
                    if let Some(byte) = page.get_mut(at) {
                        *byte ^= 1 << self.below(8);
                    }
                }
                _ => {
                    let token = TOKENS[self.below(TOKENS.len())];
                    page.splice(at..at, token.bytes());
                }
            }
        }
        page
    }

    /// A number below the bound, which must not be zero.
    fn below(&mut self, bound: usize) -> usize {
        // The splitmix64 generator.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }
}
