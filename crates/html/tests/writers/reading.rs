//! Parsed Markdown as a list of lines: one per block, with the path to it.
//!
//! A run of words is written plain, or as `{bi@address:words}` with its styles: `b`old, `i`talic, `s`truck,
//! `c`ode. So the nesting of delimiters does not matter, only their meaning.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    pub(crate) strong: bool,
    pub(crate) emphasis: bool,
    pub(crate) strike: bool,
    pub(crate) code: bool,
    pub(crate) link: Option<String>,
}

/// The words of one block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Words {
    runs: Vec<(String, Marks)>,
}

impl Words {
    pub(crate) fn push(&mut self, text: &str, marks: &Marks) {
        for character in text.chars() {
            let white = character.is_whitespace();
            let text = if white { ' ' } else { character };
            // The style of a space is invisible, except in code.
            let marks = if white && !marks.code {
                None
            } else {
                Some(marks)
            };
            match (self.runs.last_mut(), marks) {
                (Some((run, last)), Some(marks)) if last == marks => run.push(text),
                (Some((run, _)), None) if run.ends_with(' ') || run == "{br}" => {}
                (Some((_, last)), None) if last.code => {
                    self.runs.push((" ".to_owned(), Marks::default()));
                }
                (Some((run, _)), None) => run.push(' '),
                (None, None) => {}
                (_, Some(marks)) => self.runs.push((text.to_string(), marks.clone())),
            }
        }
    }

    /// Adds a token that is not text, such as an image or a line break.
    pub(crate) fn push_token(&mut self, token: &str) {
        if token == "br"
            && let Some((run, _)) = self.runs.last_mut()
        {
            run.truncate(run.trim_end().len());
        }
        self.runs.push((format!("{{{token}}}"), Marks::default()));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub(crate) fn write(&self) -> String {
        let mut line = String::new();
        let mut runs = self.runs.clone();
        // A space between two equal styles joins them; at the end of a style it comes after it.
        let mut joined: Vec<(String, Marks)> = Vec::new();
        for (text, marks) in runs.drain(..) {
            match joined.last_mut() {
                Some((last, same))
                    if *same == marks && !text.starts_with('{') && !last.ends_with('}') =>
                {
                    last.push_str(&text);
                }
                _ => joined.push((text, marks)),
            }
        }
        for (text, marks) in joined {
            if marks == Marks::default() {
                line.push_str(&text);
                continue;
            }
            let body = text.trim_end();
            line.push('{');
            for (is_set, letter) in [
                (marks.strong, 'b'),
                (marks.emphasis, 'i'),
                (marks.strike, 's'),
                (marks.code, 'c'),
            ] {
                if is_set {
                    line.push(letter);
                }
            }
            if let Some(link) = &marks.link {
                line.push('@');
                line.push_str(link);
            }
            line.push(':');
            line.push_str(body);
            line.push('}');
            line.push_str(&text[body.len()..]);
        }
        line.trim().to_owned()
    }
}

#[derive(Default)]
struct Reader {
    lines: Vec<String>,
    path: Vec<String>,
    counts: Vec<(String, u32)>,
    kind: Option<String>,
    words: Words,
    marks: Marks,
    outer: Vec<Marks>,
    cells: Vec<String>,
    image: Option<(String, String)>,
    code: Option<String>,
}

impl Reader {
    fn end_block(&mut self) {
        let kind = self.kind.take();
        if kind.is_none() && self.words.is_empty() {
            return;
        }
        let words = std::mem::take(&mut self.words).write();
        let kind = kind.unwrap_or_else(|| "p".to_owned());
        self.line(&format!("{kind}: {words}"));
    }

    fn line(&mut self, block: &str) {
        let mut line = self.path.join("/");
        if !line.is_empty() {
            line.push('/');
        }
        line.push_str(block);
        self.lines.push(line);
    }

    fn start_mark(&mut self, change: impl FnOnce(&mut Marks)) {
        self.outer.push(self.marks.clone());
        change(&mut self.marks);
    }

    fn end_mark(&mut self) {
        self.marks = self.outer.pop().expect("an open mark");
    }

    fn html(&mut self, html: &str) {
        match html {
            "<strong>" => self.start_mark(|marks| marks.strong = true),
            "<em>" => self.start_mark(|marks| marks.emphasis = true),
            "<del>" => self.start_mark(|marks| marks.strike = true),
            "</strong>" | "</em>" | "</del>" if !self.outer.is_empty() => self.end_mark(),
            "<br>" => self.words.push_token("br"),
            live => self.words.push_token(&format!("HTML {live}")),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.end_block(),
            Tag::Heading { level, .. } => {
                self.end_block();
                self.kind = Some(format!("h{}", level as u8));
            }
            Tag::BlockQuote(_) => {
                self.end_block();
                self.path.push("q".to_owned());
            }
            Tag::CodeBlock(kind) => {
                self.end_block();
                self.code = Some(match kind {
                    CodeBlockKind::Fenced(language) => format!("pre {language}: "),
                    CodeBlockKind::Indented => "pre INDENTED: ".to_owned(),
                });
            }
            Tag::List(start) => {
                self.end_block();
                let name = start.map_or("ul".to_owned(), |start| format!("ol{start}"));
                self.counts.push((name, 0));
            }
            Tag::Item => {
                let (name, count) = self.counts.last_mut().expect("a list");
                *count += 1;
                self.path.push(format!("{name}.{count}"));
            }
            Tag::FootnoteDefinition(label) => {
                self.end_block();
                self.path.push(format!("note{label}"));
            }
            Tag::Table(_) => {
                self.end_block();
                self.line("table");
            }
            Tag::Emphasis => self.start_mark(|marks| marks.emphasis = true),
            Tag::Strong => self.start_mark(|marks| marks.strong = true),
            Tag::Strikethrough => self.start_mark(|marks| marks.strike = true),
            Tag::Link { dest_url, .. } => {
                self.start_mark(|marks| marks.link = Some(dest_url.to_string()));
            }
            Tag::Image { dest_url, .. } => {
                self.image = Some((dest_url.to_string(), String::new()));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::Heading(_) => self.end_block(),
            TagEnd::BlockQuote(_) | TagEnd::Item | TagEnd::FootnoteDefinition => {
                self.end_block();
                self.path.pop();
            }
            TagEnd::List(_) => {
                self.counts.pop();
            }
            TagEnd::CodeBlock => {
                let code = self.code.take().expect("code");
                let code = code.trim_end_matches('\n').replace('\n', "\\n");
                self.line(&code);
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.words).write();
                self.cells.push(cell);
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                let cells = std::mem::take(&mut self.cells).join(" | ");
                let name = if matches!(tag, TagEnd::TableHead) {
                    "th"
                } else {
                    "tr"
                };
                self.line(&format!("{name}: {cells}"));
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link => {
                self.end_mark();
            }
            TagEnd::Image => {
                let (target, alt) = self.image.take().expect("an image");
                let link = self
                    .marks
                    .link
                    .as_ref()
                    .map_or(String::new(), |link| format!("@{link} "));
                self.words
                    .push_token(&format!("img {link}{target} {}", alt.trim()));
            }
            _ => {}
        }
    }

    fn read(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Code(text)
                if self.image.is_some() || self.code.is_some() =>
            {
                if let Some((_, alt)) = &mut self.image {
                    alt.push_str(&text);
                } else if let Some(code) = &mut self.code {
                    code.push_str(&text);
                }
            }
            Event::Text(text) => {
                let marks = self.marks.clone();
                self.words.push(&text, &marks);
            }
            Event::Code(code) => {
                let marks = Marks {
                    code: true,
                    ..self.marks.clone()
                };
                self.words.push(&code, &marks);
            }
            Event::Html(html) | Event::InlineHtml(html) => self.html(&html),
            Event::FootnoteReference(label) => self.words.push_token(&format!("^{label}")),
            Event::SoftBreak => self.words.push_token("SOFT"),
            Event::HardBreak => self.words.push_token("br"),
            Event::Rule => {
                self.end_block();
                self.line("hr");
            }
            Event::TaskListMarker(done) => self.words.push_token(if done { "x" } else { "o" }),
            other => self.words.push_token(&format!("UNREAD {other:?}")),
        }
    }
}

/// The lines of a Markdown text.
pub(crate) fn read(markdown: &str) -> Vec<String> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM;
    let mut reader = Reader::default();
    for event in Parser::new_ext(markdown, options) {
        reader.read(event);
    }
    reader.end_block();
    reader.lines
}
