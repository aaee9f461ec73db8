//! Fenced blocks of a Markdown document that hold shell commands.

use std::fmt;

/// Tags that may follow the language of a fence.
const TAGS: [&str; 5] = ["exit-1", "browser", "postgres", "sqlite", "not-run"];

/// A block of commands: a script (`sh`), or commands with their output (`console`).
#[derive(Debug)]
pub(crate) struct Block {
    document: String,
    /// Line of the opening fence, counted from 1.
    line: usize,
    /// The line above the fence.
    pub(crate) before: String,
    is_console: bool,
    tags: Vec<String>,
    text: String,
}

/// Commands to run together, and their output if it is shown.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) commands: String,
    pub(crate) output: Option<String>,
    /// Whether the exit code is 1.
    pub(crate) fails: bool,
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.document, self.line)
    }
}

impl Block {
    /// Whether the fence has this tag.
    pub(crate) fn has(&self, tag: &str) -> bool {
        self.tags.iter().any(|own| own == tag)
    }

    /// A script is one step; a console has one for each prompt. With `exit-1` the last one fails.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let mut steps = if self.is_console {
            self.prompts()
        } else {
            vec![Step {
                commands: self.text.clone(),
                output: None,
                fails: false,
            }]
        };
        if let Some(last) = steps.last_mut() {
            last.fails = self.has("exit-1");
        }
        steps
    }

    fn prompts(&self) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        let mut continues = false;
        for line in self.text.lines() {
            if let Some(command) = line.strip_prefix("$ ") {
                steps.push(Step {
                    commands: format!("{command}\n"),
                    output: Some(String::new()),
                    fails: false,
                });
                continues = command.ends_with('\\');
                continue;
            }
            let step = steps
                .last_mut()
                .unwrap_or_else(|| panic!("{self}: a console block starts with `$ `"));
            if continues {
                step.commands.push_str(line);
                step.commands.push('\n');
                continues = line.ends_with('\\');
            } else if let Some(output) = &mut step.output {
                output.push_str(line);
                output.push('\n');
            }
        }
        // A blank line before the next prompt is layout.
        for step in &mut steps {
            step.output = step.output.as_deref().map(|text| {
                let text = text.trim_end_matches('\n');
                if text.is_empty() {
                    String::new()
                } else {
                    format!("{text}\n")
                }
            });
        }
        steps
    }
}

/// All blocks of shell commands.
pub(crate) fn parse(document: &str, text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut before = String::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        if ticks < 3 {
            line.clone_into(&mut before);
            continue;
        }
        let (fence, info) = line.split_at(ticks);
        let mut body = String::new();
        for (_, line) in lines.by_ref() {
            if line == fence {
                break;
            }
            body.push_str(line);
            body.push('\n');
        }
        let mut tags = info.split_whitespace().map(str::to_owned);
        let language = tags.next().unwrap_or_default();
        if language != "sh" && language != "console" {
            continue;
        }
        let tags: Vec<String> = tags.collect();
        for tag in &tags {
            assert!(
                TAGS.contains(&tag.as_str()),
                "{document}: unknown tag {tag:?}"
            );
        }
        blocks.push(Block {
            document: document.to_owned(),
            line: number + 1,
            before: before.clone(),
            is_console: language == "console",
            tags,
            text: body,
        });
    }
    blocks
}

#[test]
fn a_console_block_is_split_at_its_prompts() {
    let text =
        "text\n````console exit-1\n$ a \\\n  b\none\n```\ntwo\n\n$ c\n````\n```text\nno\n```\n";
    let blocks = parse("x.md", text);
    assert_eq!(blocks.len(), 1);
    assert!(blocks[0].has("exit-1"));
    assert_eq!(blocks[0].before, "text");
    assert_eq!(
        blocks[0].steps(),
        [
            Step {
                commands: "a \\\n  b\n".into(),
                output: Some("one\n```\ntwo\n".into()),
                fails: false,
            },
            Step {
                commands: "c\n".into(),
                output: Some(String::new()),
                fails: true,
            },
        ]
    );
}
