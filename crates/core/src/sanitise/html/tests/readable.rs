//! What visible mail reads like.

use super::*;

#[test]
fn blocks_and_blanks() {
    check(&[
        ("<p>one</p><p>two</p>", "one\n\ntwo", "paragraphs"),
        ("<div>one</div><div>two</div>", "one\ntwo", "divisions"),
        ("one<br>two<br><br>three<br><br><br><br>four", "one\ntwo\n\nthree\n\nfour", "breaks, capped"),
        ("  a \n b\t<b> c</b>d  ", "a b cd", "blanks collapse"),
        ("a&nbsp;&nbsp; b", "a b", "so do those that don't break"),
        ("<pre>a\n  b\n\nc</pre>", "a\n  b\n\nc", "preformatted"),
        ("<div style='white-space:pre-wrap'>a\n b</div>", "a\n b", "by style"),
        ("<h1>Title</h1><h3>Sub</h3>text", "# Title\n\n### Sub\n\ntext", "headings"),
        ("a<hr>b", "a\n---\nb", "rule"),
        ("c&#x200b;o&shy;d&#x2060;e", "code", "invisible characters"),
        ("<p>caf\u{e9} \u{202e}abc\u{202c}</p>", "café abc", "bidi"),
        ("&#27;[31m&#7;x&#0;", "[31mx\u{fffd}", "controls as entities"),
        ("", "", "nothing"),
        ("plain text", "plain text", "no markup"),
    ]);
}

#[test]
fn lists() {
    check(&[
        ("<ul><li>a<li>b<ul><li>c</ul></ul>", "- a\n- b\n  - c", "nested"),
        (
            "<ol start=3><li>a</li><li><p>b</p><p>c</p></li></ol>x",
            "3. a\n4. b\n\n   c\n\nx",
            "numbered, with paragraphs",
        ),
        ("<ol><li>a<ul><li>x</ul><li>b</ol>", "1. a\n   - x\n2. b", "mixed"),
        ("<ul><li></li><li>a</li></ul>", "- a", "empty items leave nothing"),
        ("<dl><dt>a<dd>b</dl>", "a\n  b", "definitions"),
    ]);
}

#[test]
fn tables() {
    check(&[
        (
            "<table><tr><th>Item</th><th>Price</th></tr><tr><td>Tea</td><td>3</td></tr></table>",
            "Item | Price\nTea | 3",
            "header cells",
        ),
        (
            "<table><tr><td>From</td><td>Brno</td></tr><tr><td>To</td><td><p>Oslo</p></td></tr></table>",
            "From | Brno\nTo | Oslo",
            "short cells",
        ),
        (
            "<table><tr><td><h1>Hi</h1></td></tr><tr><td><table><tr><td>a</td><td>b</td></tr></table></td></tr></table>",
            "# Hi\n\na\nb",
            "layout",
        ),
        (
            "<table role=presentation><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>",
            "a\nb\nc\nd",
            "layout by role",
        ),
        (
            "<table><tr><th>a</th><th>b</th><th>c</th></tr><tr><td>1</td><td></td><td>3</td></tr></table>",
            "a | b | c\n1 | | 3",
            "an empty cell keeps its place",
        ),
    ]);
}

#[test]
fn quotes() {
    check(&[
        (
            "yes<blockquote>was it?<br>and so?<blockquote>first</blockquote></blockquote>no",
            "yes\n> was it?\n> and so?\n> > first\nno",
            "nested",
        ),
        ("yes<blockquote><p>a</p><p>b</p></blockquote>", "yes\n> a\n>\n> b", "a blank line stays quoted"),
        (
            "ok<div class='gmail_quote'>Ada wrote:<blockquote class='gmail_quote'>hello</blockquote></div>",
            "ok\n> Ada wrote:\n> hello",
            "Gmail's wrapper and its quote are one",
        ),
        (
            "ok<hr><div id=divRplyFwdMsg><b>From:</b> Ada</div>old",
            "ok\n---\n\n[earlier message follows]\nFrom: Ada\nold",
            "Outlook",
        ),
    ]);
}

#[test]
fn links_and_pictures() {
    check(&[
        (
            "<a href='https://a.example/x'>Read <b>more</b></a>.",
            "Read more <https://a.example/x>.",
            "text and target",
        ),
        ("<a href='https://a.example/'>https://a.example</a>", "https://a.example", "said once"),
        (
            "<a href='https://evil.example/x'>https://bank.example</a>",
            "https://bank.example <https://evil.example/x> [the text names bank.example, the link goes to evil.example]",
            "another host",
        ),
        ("<a href='javascript:alert(1)'>js</a>", "js [link removed]", "script"),
        ("<a href=' data:text/html,x'>d</a>", "d [link removed]", "data"),
        (
            "<a href='https://bank.example@evil.example/'>bank</a>",
            "bank <https://evil.example/> [\"bank.example@\" in the link is a user name: it goes to evil.example]",
            "user name",
        ),
        ("<a href='mailto:ada@a.example'>write</a>", "write <mailto:ada@a.example>", "mail"),
        (
            "<a href='#x'>up</a><a href='https://t.example/'></a>",
            "up",
            "within the message; and one without text",
        ),
        ("<a href='https://a.example/'><img src=x></a>", "<https://a.example/>", "a picture as a link"),
        ("<img src=x alt='A cat'>", "[image: A cat]", "alternative text"),
        ("<img src='cid:logo@x'>", "[image: cid:logo@x]", "a picture in the message"),
        ("<img src='https://t.example/p.gif?u=1'><img width=1 height=1 alt=x>", "", "trackers"),
        ("<base href='https://evil.example/'><a href='/x'>a</a>", "a <https://evil.example/x>", "base"),
        ("<a href='https://a.example/' style='display:none'>x</a>", "", "a hidden link"),
    ]);
}
