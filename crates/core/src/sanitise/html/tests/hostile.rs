//! Input made to cost time, memory or stack. No times are asserted: these end soon or the run hangs and is seen.

use super::*;

#[test]
fn deep_nesting_ends() {
    for tag in [
        "div",
        "b",
        "table",
        "blockquote",
        "ul",
        "span",
        "font",
        "a",
        "select",
        "svg",
        "template",
        "button",
        "o:p",
    ] {
        let html = format!("start{}DEEP", format!("<{tag}>").repeat(100_000));
        let result = to_text(&html);
        assert!(result.text.starts_with("start"), "{tag}");
        assert!(result.text.len() < OUTPUT_LIMIT + 200, "{tag}");
    }
}

#[test]
fn after_a_deep_but_closed_part_the_text_goes_on() {
    let html = format!("{}{}<p>after</p>", "<div>".repeat(2_000), "</div>".repeat(2_000));
    let result = to_text(&html);
    assert!(result.text.starts_with("after"), "{}", result.text);
    assert!(result.truncated);
}

#[test]
fn many_attributes_end() {
    let attributes = (0..300_000).map(|n| format!(" a{n}=1")).collect::<Vec<_>>().concat();
    let result = to_text(&format!("<p>before</p><p{attributes}>after</p>"));
    assert_eq!(result.text, format!("before\n\n{CUT_NOTE}"));
    assert!(result.truncated);
}

#[test]
fn formatting_elements_that_multiply_end() {
    let many = (0..3_000).map(|n| format!("<b id=x{n}><i class=y{n}>")).collect::<Vec<_>>().concat();
    let result = to_text(&format!("{many}{}", "</p><p>x".repeat(20_000)));
    assert!(result.truncated);
}

#[test]
fn unmatched_end_tags_end() {
    let result = to_text(&format!("{}{}", "<div>".repeat(700), "</x>".repeat(500_000)));
    assert!(result.text.len() < 200);
}

#[test]
fn huge_styles_end() {
    let style = "color:red;".repeat(200_000);
    let result = to_text(&format!("<p>shown</p><p style='{style}'>x</p>"));
    assert_eq!((result.text.as_str(), result.hidden_dropped), ("shown", true), "what isn't read could hide");
    let rules = (0..30_000).map(|n| format!(".a{n} .b .c .d,*{{color:red}}")).collect::<Vec<_>>().concat();
    let body = "<div class='b c d'>".repeat(300);
    let result = to_text(&format!("<style>{rules}</style>{body}{}", "<p class='a1 d'>x</p>".repeat(5_000)));
    assert!(result.truncated, "a spent budget says so");
    let brackets = "(".repeat(500_000);
    to_text(&format!("<style>.x{brackets}{{display:none}}</style><p style='background:{brackets}'>x</p>"));
}

#[test]
fn no_limit_lets_hidden_text_through() {
    let blanks = " ".repeat(1_200);
    let hiding = [
        format!("<p style='{}display:none'>GONE</p>", "a:b;".repeat(5_000)),
        format!("<p style='{}display:none'>GONE</p>", "color:red;".repeat(5_000)),
        format!("<p style='color:{blanks}#fff'>GONE</p>"),
        format!("<p style='color:rgb(255,{blanks}255,255)'>GONE</p>"),
        format!("<p style='color:rgb(255,{}255,255)'>GONE</p>", "0".repeat(1_200)),
        format!("<style>p{}{{display:none}}</style><p class=x>GONE</p>", ".x".repeat(200)),
        format!("<style>{}.x{{display:none}}</style><p class=x>GONE</p>", ".y{color:red}".repeat(25_000)),
        format!("<style>{}.x{{display:none}}</style><p class=x>GONE</p>", "@media screen{".repeat(40)),
    ];
    for html in &hiding {
        let result = to_text(html);
        assert!(!result.text.contains("GONE"), "{}", html.get(..80).unwrap());
        assert!(result.hidden_dropped || result.truncated);
    }
}

#[test]
fn the_output_is_bounded() {
    let result = to_text(&"word ".repeat(600_000));
    assert!(result.truncated);
    assert!(result.text.len() <= OUTPUT_LIMIT + CUT_NOTE.len() + 2);
    assert!(result.text.ends_with(CUT_NOTE));
    // Prefixes don't multiply the output either.
    let result = to_text(&format!("{}{}", "<blockquote>".repeat(500), "x<br>".repeat(100_000)));
    assert!(result.text.len() <= OUTPUT_LIMIT + CUT_NOTE.len() + 2);
}

#[test]
fn broken_markup_is_read() {
    for html in [
        "<",
        "<!",
        "<!--",
        "</",
        "<a",
        "<a href",
        "<a href='",
        "&",
        "&#",
        "&#x;",
        "&#xffffffff;",
        "<p style=",
        "<style>",
        "<![CDATA[x]]>",
        "\0",
        "<\0p>",
    ] {
        to_text(html);
        to_text_keep_hidden(html);
    }
}
