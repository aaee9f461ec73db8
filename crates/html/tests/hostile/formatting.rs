//! Misnested formatting, which the parser copies into every block it reaches.

use crate::{numbered, survives};

const MANY: usize = 10_000;

#[test]
fn misnested() {
    for unit in [
        "<a><b>",
        "<a href=x><b><p>t",
        "<b><p></b>t",
        "<a href=x><div></a>t",
        "<b><i><u><s><p>t</b></i></u></s>",
        "<p><b><i><font><div>t</b>",
        "<a href=x><table><a href=y><tr><td>t",
        "<b><table><tr><td></b>t</table>",
        "<i><ul><li></i>t",
        "<em><h1></em>t</h1>",
        "<nobr>t<nobr><p>",
        "<b><button></b>t",
        "<code><p>`t</code>",
        "<s><blockquote>t</s>",
    ] {
        survives(unit, unit.repeat(MANY));
        let end: String = unit.replace('<', "</").replace("<//", "</");
        survives(
            &format!("{unit}, then ends"),
            unit.repeat(MANY) + &end.repeat(MANY),
        );
    }
}

#[test]
fn all_different() {
    for unit in [
        "<font size=#><p>t",
        "<b id=#><p>t</b>",
        "<a href=#><p>t",
        "<i class=c#><div>t</i>",
        "<b id=#>t",
        "<span style='font-weight:bold' id=#><p>t",
    ] {
        survives(unit, numbered(unit, MANY));
    }
    let open = numbered("<font size=#>", 500);
    survives(
        "500 open, then paragraphs",
        format!("{open}{}", "<p>t".repeat(MANY)),
    );
    let link = format!("<a href='{}'>", "x".repeat(50_000));
    survives(
        "a long link around paragraphs",
        format!("{link}{}", "<p>t".repeat(MANY)),
    );
    let titled = format!("<a href=x title='{}'>", "x".repeat(50_000));
    survives(
        "a long title around paragraphs",
        format!("{titled}{}", "<p>t".repeat(MANY)),
    );
}
