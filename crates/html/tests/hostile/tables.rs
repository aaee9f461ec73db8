//! Extremely wide, tall and deep tables.

use crate::survives;

#[test]
fn spans() {
    let huge = "<td colspan=65534 rowspan=65534>a";
    survives("one huge cell", format!("<table><tr>{huge}"));
    survives(
        "a row of huge cells",
        format!("<table><tr>{}", huge.repeat(1_000)),
    );
    survives(
        "rows of huge cells",
        format!("<table>{}", format!("<tr>{huge}").repeat(10_000)),
    );
    survives(
        "wide cells",
        format!("<table>{}", "<tr><td colspan=1000>a<td>b".repeat(10_000)),
    );
    survives(
        "tall, then rows",
        format!(
            "<table><tr>{}{}",
            "<td rowspan=0>a".repeat(1_000),
            "<tr><td>b".repeat(10_000)
        ),
    );
    survives(
        "columns",
        format!("<table>{}<tr><td>a", "<col span=1000>".repeat(10_000)),
    );
    survives(
        "invalid numbers",
        "<table><tr><td colspan=-1 rowspan=1e9>a".repeat(100),
    );
}

#[test]
fn cells() {
    survives(
        "a row of 100,000",
        format!("<table><tr>{}", "<td>a".repeat(100_000)),
    );
    survives(
        "a column of 100,000",
        format!("<table>{}", "<tr><td>a".repeat(100_000)),
    );
    survives(
        "a hundred columns",
        format!(
            "<table>{}",
            format!("<tr>{}", "<td>a".repeat(100)).repeat(1_000)
        ),
    );
    survives(
        "steps",
        format!(
            "<table>{}",
            (0..450)
                .map(|n| "<tr>".to_owned() + &"<td>a".repeat(n))
                .collect::<String>()
        ),
    );
    survives(
        "a long last row",
        format!(
            "<table>{}{}",
            "<tr><td>a<td>b".repeat(20_000),
            "<td>c".repeat(20_000)
        ),
    );
    survives(
        "headers",
        format!("<table>{}", "<tr><th>a<th>b".repeat(50_000)),
    );
    survives(
        "lists in cells",
        format!(
            "<table>{}",
            "<tr><td><ul><li>a<li>b</ul><td><p>c<p>d".repeat(10_000)
        ),
    );
    survives(
        "pipes",
        format!(
            "<table>{}",
            "<tr><td>|<td>\\|<td><code>|</code>".repeat(20_000)
        ),
    );
    survives("text that leaves the table", "<table>a<tr>b".repeat(30_000));
    survives(
        "captions",
        format!("<table>{}", "<caption>a</caption>".repeat(50_000)),
    );
    survives(
        "bodies",
        format!("<table>{}", "<tbody><tr><td>a<tfoot><thead>".repeat(30_000)),
    );
}

#[test]
fn tables() {
    survives("1,000 deep", "<table><tr><td>a".repeat(1_000));
    survives(
        "1,000 deep with headers",
        "<table><tr><th>a<th>b<tr><td>c<td>".repeat(1_000),
    );
    survives(
        "1,000 deep, closed",
        "<table><tr><td>a".repeat(1_000) + &"</table>".repeat(1_000),
    );
    survives(
        "side by side",
        "<table><tr><td>a<td>b</table>".repeat(30_000),
    );
    survives("left open", "<table>".repeat(100_000));
    survives(
        "nested ten by ten",
        ("<table><tr><td>a<td>".repeat(10) + &"</table>".repeat(10)).repeat(2_000),
    );
}
