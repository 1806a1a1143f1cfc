//! Each refused form by itself, what passes, and that no arrangement around a refused form hides it.

use proptest::prelude::*;

use super::*;
use crate::fields::DraftAttachment;

#[track_caller]
fn passes(html: &str) {
    assert_eq!(check(html, &["logo@example.org"]), Ok(()), "{html}");
}

#[track_caller]
fn loads(html: &str) {
    assert_eq!(check(html, &["logo@example.org"]), Err(Refusal::LoadingMarkup), "{html}");
}

#[test]
fn what_people_write_passes() {
    for html in [
        "",
        "plain",
        "<p>Dear <b>Robin</b>,<br>see <a href='https://example.org/a?b=(c)'>this</a>.</p>",
        "<!DOCTYPE html><html><head><meta charset=utf-8><meta http-equiv=' Content-Type' content='text/html'>\
         <meta name=generator content=x><title>Lunch</title></head><body bgcolor=white>x</body></html>",
        "<table border=1 style='width: 100%; color: #333'><tr><td colspan=2>a</td></tr></table>",
        "<blockquote type=cite cite='mid:a@b'>quoted</blockquote><o:p></o:p>",
        "<img src='cid:logo@example.org' alt=logo width=10 style='border: 0'>",
        "<IMG SRC=CID:logo%40example.org>",
        "<p>1 < 2 && 3 > 2, url(x) @import \\ {}</p>",
    ] {
        passes(html);
    }
}

#[test]
fn every_refused_element_is_refused_however_it_is_written() {
    for name in REFUSED_ELEMENTS {
        for html in [
            format!("<{name}>"),
            format!("<{}/>", name.to_uppercase()),
            format!("a<{name} x=y>b</{name}>"),
            format!("<v:{name}>"),
            format!("<select><{name}>"),
            format!("<table><{name}>"),
            format!("<title></title><{name}>"),
            format!("<{name}\u{c}>"),
        ] {
            loads(&html);
        }
        passes(&format!("</{name}>"));
        passes(&format!("&lt;{name}&gt;"));
    }
}

#[test]
fn every_refused_attribute_is_refused_on_whatever_element() {
    for name in REFUSED_ATTRIBUTES.iter().copied().chain(["onload", "onpointerrawupdate", "on"]) {
        for html in [
            format!("<p {name}=x>"),
            format!("<p {}='x'>", name.to_uppercase()),
            format!("<td/{name}=x>"),
            format!("<p {name}>"),
            format!("<a v:{name}=x>"),
            format!("<img src=cid:logo@example.org {name}=x>"),
        ] {
            // A second `src` on a tag is no attribute to any reader.
            if html.contains("<img") && name == "src" {
                continue;
            }
            loads(&html);
        }
    }
    loads("<a xlink:href=x>");
    passes("<a href=x>");
    passes("<a name=src>");
}

#[test]
fn a_style_with_a_function_an_escape_or_a_rule_is_refused() {
    for style in [
        "background:url(https://x.example/)",
        "background:u\\72l(x)",
        "background:\\75",
        "width: expression (x)",
        "background: image-set('https://x.example/')",
        "@import 'https://x.example/'",
        "color:red} body{x:y",
        "background:&#117;rl&#40;x&#41;",
    ] {
        loads(&format!("<p style=\"{style}\">"));
        loads(&format!("<img src='cid:logo@example.org' style=\"{style}\">"));
        loads(&format!("<v:p v:style=\"{style}\">"));
    }
    passes("<p style='color: red; background: #fff'>");
}

#[test]
fn a_picture_passes_only_out_of_the_message() {
    for html in [
        "<img>",
        "<img alt=x>",
        "<img src>",
        "<img src=''>",
        "<img src=https://x.example/p.gif>",
        "<img src=//x.example/p.gif>",
        "<img src='data:image/gif;base64,R0lGOD'>",
        "<img src=cid:other@example.org>",
        "<img src=cid:>",
        "<img src=' cid:logo@example.org'>",
        "<img src='cid:logo@example.org '>",
        "<img src='c\tid:logo@example.org'>",
        "<img src=cid:logo%4>",
        "<img src=cid:logo%zz>",
        "<img src=cid:logo%ff@example.org>",
        "<img src=cid:logo@example.org srcset=x>",
        "<img src=cid:logo@example.org crossorigin>",
        "<img src=cid:logo@example.org onerror=x>",
    ] {
        loads(html);
    }
    assert_eq!(check("<img src=cid:logo@example.org>", &[]), Err(Refusal::LoadingMarkup));
}

#[test]
fn a_meta_that_does_something_is_refused() {
    for html in [
        "<meta http-equiv=refresh content='0; https://x.example/'>",
        "<meta http-equiv='Content-Security-Policy' content=x>",
        "<meta http-equiv='Content-Type' http=x>",
        "<meta property=x content=y>",
    ] {
        loads(html);
    }
}

#[test]
fn comments_are_refused_and_so_is_what_reads_as_one() {
    for html in [
        "<!-- x -->",
        "<!---->",
        "<!-->",
        "<!--[if mso]><p>x</p><![endif]-->",
        "<![if !mso]>",
        "<?xml:namespace prefix=o ?>",
        "</ x>",
        "<!x>",
        "<![CDATA[x]]>",
        "a<!--",
    ] {
        assert_eq!(check(html, &[]), Err(Refusal::Comment), "{html}");
    }
    passes("&lt;!-- x -->");
}

#[test]
fn nothing_hides_in_a_title() {
    for html in [
        "<title><img src=x></title>",
        "<title><a x=\"</title><img src=https://x.example/>\">",
        "<select><title><!--</title><img src=https://x.example/>-->",
        "<title>a < b</title>",
        "<title>&lt;img></title>",
    ] {
        loads(html);
    }
    passes("<title>a & b</title>");
    passes("<title></title>a &lt; b");
    passes("<title>a");
}

#[test]
fn the_first_thing_found_is_the_one_that_is_said() {
    assert_eq!(check("<!--x--><img>", &[]), Err(Refusal::Comment));
    assert_eq!(check("<img><!--x-->", &[]), Err(Refusal::LoadingMarkup));
}

#[test]
fn the_draft_decides_which_pictures_are_in_it() {
    let mut fields = crate::testing::fields();
    assert_eq!(loads_nothing(&fields, true), Ok(()));
    fields.html = Some("<img src='cid:a@b'>".into());
    assert_eq!(loads_nothing(&fields, true), Err(Refusal::LoadingMarkup));
    fields.attachments = vec![
        DraftAttachment::default(),
        DraftAttachment { content_id: Some("a@b".into()), ..DraftAttachment::default() },
    ];
    assert_eq!(loads_nothing(&fields, true), Ok(()));
    assert_eq!(loads_nothing(&fields, false), Err(Refusal::LoadingMarkup), "a provider without such parts");
}

#[test]
fn hostile_sizes_take_linear_time() {
    passes(&"<b>".repeat(200_000));
    passes(&"<a href=x>".repeat(50_000));
    loads(&format!("{}<img src=x>", "<table><td>".repeat(50_000)));
    loads(&format!("<p {}src=x>", "a=b ".repeat(2_000)));
}

/// The corpus that the fuzz target starts from.
#[test]
fn the_corpus_is_refused_or_passes_as_its_name_says() {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/markup");
    let mut seen = 0;
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let html = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let expected = match name.split('-').next().unwrap() {
            "passes" => Ok(()),
            "loads" => Err(Refusal::LoadingMarkup),
            "comment" => Err(Refusal::Comment),
            other => panic!("{other}: {name}"),
        };
        assert_eq!(check(&html, &["logo@example.org"]), expected, "{name}");
        seen += 1;
    }
    assert!(seen >= 20, "{seen}");
}

/// Markup that surrounds: what stands before, and what stands after.
const AROUND: &[&str] = &[
    "<p>",
    "</p>",
    "<table><tr><td>",
    "</table>",
    "<select><option>",
    "text",
    "&amp;",
    "<a href=x>",
    "</a>",
    "<b/>",
    "\0",
    "\u{feff}",
    "<ul><li>",
    "<div style='color:red'>",
    "</body></html>",
    "<head>",
    "<br>",
    "<p a='<' b=\">\">",
];

proptest! {
    #[test]
    fn a_tag_is_found_wherever_it_stands(
        before in prop::collection::vec(prop::sample::select(AROUND), 0..8),
        name in prop::sample::select(REFUSED_ELEMENTS),
        after in prop::collection::vec(prop::sample::select(AROUND), 0..4),
    ) {
        let html = format!("{}<{name} x>{}", before.concat(), after.concat());
        prop_assert_eq!(check(&html, &[]), Err(Refusal::LoadingMarkup));
        prop_assert_eq!(check(&format!("{}{}", before.concat(), after.concat()), &[]), Ok(()));
    }

    #[test]
    fn text_that_is_escaped_always_passes(text in any::<String>()) {
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        prop_assert_eq!(check(&escaped, &[]), Ok(()));
        prop_assert_eq!(check(&format!("<a href=\"{escaped}\" title=\"{escaped}\">"), &[]), Ok(()));
    }

    #[test]
    fn any_bytes_are_judged(text in ".{0,200}") {
        let _ = check(&text, &[]);
    }
}
