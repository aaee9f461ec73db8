//! Random pages with every construct and difficult text: a parser finds in the Markdown what was put into the
//! page, and none of the text is parsed as markup.

use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::reading::{Marks, Words, read};
use crate::{check_shape, inert_html, markdown, plain_text};

#[derive(Debug, Clone)]
enum Inline {
    Text(String),
    Code(String),
    Image(String),
    Break,
    Strong(Vec<Self>),
    Emphasis(Vec<Self>),
    Strike(Vec<Self>),
    Link(usize, Vec<Self>),
    Span(Vec<Self>),
}

#[derive(Debug, Clone)]
enum Block {
    Paragraph(Vec<Inline>),
    Heading(u8, Vec<Inline>),
    Bullets(Vec<Vec<Self>>),
    Numbers(u32, Vec<Vec<Self>>),
    Quote(Vec<Self>),
    Code(String),
    Rule,
    Table(Vec<Vec<Vec<Inline>>>),
}

const ADDRESSES: [&str; 4] = [
    "https://e.x/a",
    "https://e.x/b_(c)*d*",
    "https://e.x/?a=1&lt;=2)",
    "https://e.x/[x](y)",
];

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z]{1,3}",
        4 => r"[*_#\[\]()<>&|~\\`+.1:!=-]{1,4}",
        3 => r"[*_~ ab(.]{1,6}",
        2 => " ",
        1 => r"[ ab\u{3000}\u{a0}\n]{1,4}",
        1 => Just("<script>".to_owned()),
        1 => Just("&amp;".to_owned()),
        1 => Just("](x)".to_owned()),
        1 => Just("- ".to_owned()),
        1 => Just("1. ".to_owned()),
        1 => Just("[x]: ".to_owned()),
        1 => Just("[^1]: ".to_owned()),
        1 => Just("http://a.b_c_".to_owned()),
        1 => "[「」“”。é漢😀€]{1,2}",
    ]
}

fn code() -> impl Strategy<Value = String> {
    r"[a`*<>&\\\[\]_~]{1,3}( [a`b]{1,3}){0,2}"
}

fn inlines(depth: u32) -> BoxedStrategy<Vec<Inline>> {
    let leaf = prop_oneof![
        8 => words().prop_map(Inline::Text),
        1 => code().prop_map(Inline::Code),
        1 => words().prop_map(Inline::Image),
        1 => Just(Inline::Break),
    ];
    if depth == 0 {
        return vec(leaf, 0..4).boxed();
    }
    let inner = || inlines(depth - 1);
    vec(
        prop_oneof![
            8 => leaf,
            2 => inner().prop_map(Inline::Strong),
            2 => inner().prop_map(Inline::Emphasis),
            1 => inner().prop_map(Inline::Strike),
            2 => (0..ADDRESSES.len(), inner()).prop_map(|(to, inner)| Inline::Link(to, inner)),
            1 => inner().prop_map(Inline::Span),
        ],
        0..5,
    )
    .boxed()
}

fn blocks(depth: u32) -> BoxedStrategy<Vec<Block>> {
    let leaf = prop_oneof![
        6 => inlines(2).prop_map(Block::Paragraph),
        1 => (1..7_u8, inlines(1)).prop_map(|(level, words)| Block::Heading(level, words)),
        1 => r"[a`*~ \n\t<]{1,12}".prop_map(Block::Code),
        1 => Just(Block::Rule),
        1 => (2..4_usize, 1..4_usize).prop_flat_map(|(columns, rows)| {
            vec(vec(inlines(1), columns), rows).prop_map(Block::Table)
        }),
    ];
    if depth == 0 {
        return vec(leaf, 0..3).boxed();
    }
    let inner = || blocks(depth - 1);
    vec(
        prop_oneof![
            4 => leaf,
            1 => vec(inner(), 0..4).prop_map(Block::Bullets),
            1 => (prop_oneof![Just(1_u32), 0..20_u32], vec(inner(), 0..4))
                .prop_map(|(start, entries)| Block::Numbers(start, entries)),
            1 => inner().prop_map(Block::Quote),
        ],
        0..4,
    )
    .boxed()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn put(html: &mut String, markup: std::fmt::Arguments<'_>) {
    html.write_fmt(markup)
        .expect("writing to a string cannot fail");
}

fn write_inlines(html: &mut String, inlines: &[Inline], in_link: bool) {
    for inline in inlines {
        let (name, inner) = match inline {
            Inline::Text(text) => {
                html.push_str(&escape(text));
                continue;
            }
            Inline::Code(code) => {
                put(html, format_args!("<code>{}</code>", escape(code)));
                continue;
            }
            Inline::Image(alt) => {
                put(html, format_args!("<img src=/i alt=\"{}\">", escape(alt)));
                continue;
            }
            Inline::Break => {
                html.push_str("<br>");
                continue;
            }
            Inline::Link(_, inner) if in_link => ("span".to_owned(), inner),
            Inline::Link(to, inner) => (format!("a href=\"{}\"", escape(ADDRESSES[*to])), inner),
            Inline::Strong(inner) => ("b".to_owned(), inner),
            Inline::Emphasis(inner) => ("em".to_owned(), inner),
            Inline::Strike(inner) => ("del".to_owned(), inner),
            Inline::Span(inner) => ("span".to_owned(), inner),
        };
        put(html, format_args!("<{name}>"));
        write_inlines(html, inner, in_link || matches!(inline, Inline::Link(..)));
        let end = name.split(' ').next().unwrap_or_default();
        put(html, format_args!("</{end}>"));
    }
}

fn write_blocks(html: &mut String, blocks: &[Block]) {
    for block in blocks {
        match block {
            Block::Paragraph(words) => {
                html.push_str("<p>");
                write_inlines(html, words, false);
                html.push_str("</p>");
            }
            Block::Heading(level, words) => {
                put(html, format_args!("<h{level}>"));
                write_inlines(html, words, false);
                put(html, format_args!("</h{level}>"));
            }
            Block::Bullets(entries) | Block::Numbers(_, entries) => {
                let (start, end) = match block {
                    Block::Numbers(start, _) => (format!("<ol start={start}>"), "</ol>"),
                    _ => ("<ul>".to_owned(), "</ul>"),
                };
                html.push_str(&start);
                for entry in entries {
                    html.push_str("<li>");
                    write_blocks(html, entry);
                    html.push_str("</li>");
                }
                html.push_str(end);
            }
            Block::Quote(inner) => {
                html.push_str("<blockquote>");
                write_blocks(html, inner);
                html.push_str("</blockquote>");
            }
            Block::Code(code) => {
                put(
                    html,
                    format_args!("<pre><code>{}</code></pre>", escape(code)),
                );
            }
            Block::Rule => html.push_str("<hr>"),
            Block::Table(rows) => {
                html.push_str("<table>");
                for (at, row) in rows.iter().enumerate() {
                    html.push_str("<tr>");
                    for cell in row {
                        html.push_str(if at == 0 { "<th>" } else { "<td>" });
                        write_inlines(html, cell, false);
                    }
                    html.push_str("</tr>");
                }
                html.push_str("</table>");
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum InlineContext {
    Paragraph,
    Heading,
    Cell,
}

/// What a parser should find in some inline content: one line for every paragraph.
struct Expected {
    lines: Vec<String>,
    words: Words,
    context: InlineContext,
    after_break: bool,
}

impl Expected {
    fn of(inlines: &[Inline], context: InlineContext) -> Vec<String> {
        let mut expected = Self {
            lines: Vec::new(),
            words: Words::default(),
            context,
            after_break: false,
        };
        expected.add(inlines, &Marks::default());
        expected.end();
        expected.lines
    }

    fn end(&mut self) {
        let words = std::mem::take(&mut self.words);
        let mut line = words.write();
        self.after_break = false;
        if line.ends_with("{br}") {
            line.truncate(line.len() - "{br}".len());
        }
        if !line.is_empty() {
            self.lines.push(line);
        }
    }

    fn add(&mut self, inlines: &[Inline], marks: &Marks) {
        for inline in inlines {
            match inline {
                Inline::Text(text) => {
                    self.after_break &= text.trim().is_empty();
                    self.words.push(text, marks);
                }
                Inline::Code(code) => {
                    self.after_break = false;
                    let marks = Marks {
                        code: true,
                        ..marks.clone()
                    };
                    self.words.push(code, &marks);
                }
                Inline::Image(alt) => {
                    self.after_break = false;
                    let link = marks
                        .link
                        .as_ref()
                        .map_or(String::new(), |link| format!("@{link} "));
                    let alt = alt.split_whitespace().collect::<Vec<_>>().join(" ");
                    self.words
                        .push_token(&format!("img {link}https://e.x/i {alt}"));
                }
                Inline::Break if self.context == InlineContext::Heading => {
                    self.words.push(" ", marks);
                }
                Inline::Break if self.after_break => {
                    if self.context == InlineContext::Paragraph {
                        self.end();
                    }
                }
                Inline::Break => {
                    if !self.words.is_empty() {
                        self.words.push_token("br");
                        self.after_break = true;
                    }
                }
                Inline::Strong(inner) => self.add(
                    inner,
                    &Marks {
                        strong: true,
                        ..marks.clone()
                    },
                ),
                Inline::Emphasis(inner) => self.add(
                    inner,
                    &Marks {
                        emphasis: true,
                        ..marks.clone()
                    },
                ),
                Inline::Strike(inner) => self.add(
                    inner,
                    &Marks {
                        strike: true,
                        ..marks.clone()
                    },
                ),
                Inline::Link(to, inner) => {
                    let link = marks
                        .link
                        .clone()
                        .or_else(|| Some(ADDRESSES[*to].replace('<', "%3C")));
                    self.add(
                        inner,
                        &Marks {
                            link,
                            ..marks.clone()
                        },
                    );
                }
                Inline::Span(inner) => self.add(inner, marks),
            }
        }
    }
}

fn expect_blocks(lines: &mut Vec<String>, path: &str, blocks: &[Block]) {
    for block in blocks {
        match block {
            Block::Paragraph(words) => {
                for line in Expected::of(words, InlineContext::Paragraph) {
                    lines.push(format!("{path}p: {line}"));
                }
            }
            Block::Heading(level, words) => {
                for line in Expected::of(words, InlineContext::Heading) {
                    lines.push(format!("{path}h{level}: {line}"));
                }
            }
            Block::Bullets(entries) | Block::Numbers(_, entries) => {
                let name = match block {
                    Block::Numbers(start, _) => format!("ol{start}"),
                    _ => "ul".to_owned(),
                };
                let mut count = 1;
                for entry in entries {
                    let before = lines.len();
                    expect_blocks(lines, &format!("{path}{name}.{count}/"), entry);
                    count += u32::from(lines.len() > before);
                }
            }
            Block::Quote(inner) => expect_blocks(lines, &format!("{path}q/"), inner),
            Block::Code(code) => {
                let code = code.trim_end_matches('\n');
                if !code.trim().is_empty() {
                    lines.push(format!("{path}pre : {}", code.replace('\n', "\\n")));
                }
            }
            Block::Rule => {
                if !lines.is_empty() {
                    lines.push(format!("{path}hr"));
                }
            }
            Block::Table(rows) => expect_table(lines, path, rows),
        }
    }
}

fn expect_table(lines: &mut Vec<String>, path: &str, rows: &[Vec<Vec<Inline>>]) {
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            row.iter()
                .map(|cell| Expected::of(cell, InlineContext::Cell).concat())
                .collect()
        })
        .collect();
    let columns = rows
        .iter()
        .filter_map(|row| row.iter().rposition(|cell| !cell.is_empty()))
        .max()
        .map_or(0, |last| last + 1);
    if columns == 0 {
        return;
    }
    let write = |row: &[String]| row[..columns].join(" | ");
    lines.push(format!("{path}table"));
    let is_blank = |row: &[String]| row.iter().all(String::is_empty);
    lines.push(format!("{path}th: {}", write(&rows[0])));
    for row in &rows[1..] {
        if !is_blank(row) {
            lines.push(format!("{path}tr: {}", write(row)));
        }
    }
}

/// Writes the page as Markdown and compares what a parser finds in it with what was put into the page.
fn check_round_trip(page: &[Block]) -> Result<(), TestCaseError> {
    let mut html = String::new();
    write_blocks(&mut html, page);
    let mut expected = Vec::new();
    expect_blocks(&mut expected, "", page);
    let written = markdown(&html);
    check_shape(&written);
    let found = read(&written);
    prop_assert_eq!(
        &found,
        &expected,
        "\nhtml: {}\nmarkdown:\n{}",
        html,
        written
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn markdown_reads_back_as_written(page in blocks(2)) {
        check_round_trip(&page)?;
    }

    #[test]
    fn difficult_paragraphs_read_back_as_written(words in inlines(3)) {
        check_round_trip(&[Block::Paragraph(words)])?;
    }

    #[test]
    fn inert_html_is_stable(page in blocks(2)) {
        let mut html = String::new();
        write_blocks(&mut html, &page);
        let once = inert_html(&html);
        prop_assert_eq!(&inert_html(&once), &once, "\nhtml: {}", html);
        // The inert page has the same text and Markdown as the original.
        prop_assert_eq!(plain_text(&once), plain_text(&html), "\nhtml: {}\ninert: {}", html, once);
        prop_assert_eq!(markdown(&once), markdown(&html), "\nhtml: {}\ninert: {}", html, once);
    }
}
