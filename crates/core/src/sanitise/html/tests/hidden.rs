//! Every way to hide text that is known here, and the look-alikes that hide nothing.

use super::*;

/// Each of these hides `GONE`; the `STAYS` around or in it must survive.
const HIDING: &[(&str, &str)] = &[
    ("<p style='display:none'>GONE</p>", "display"),
    ("<p style='DISPLAY : NONE !important'>GONE</p>", "case and important"),
    ("<p style='display:none;display:bogus'>GONE</p>", "a value that doesn't parse changes nothing"),
    ("<p style='display:none!important;display:block'>GONE</p>", "important outweighs what follows"),
    ("<p style='d\\69splay:none'>GONE</p>", "an escape in a name"),
    ("<p style='display/**/:/**/none'>GONE</p>", "comments between"),
    (
        "<p style='visibility:hidden'>GONE<b style='visibility:visible'>STAYS</b></p>",
        "a visible child of a hidden parent",
    ),
    ("<p style='visibility:collapse'>GONE</p>", "collapse"),
    ("<p style='opacity:0'>GONE</p>", "opacity"),
    ("<p style='opacity:.01'>GONE</p>", "nearly transparent"),
    ("<p style='opacity:0%'>GONE</p>", "opacity in percent"),
    ("<div style='opacity:.2'><p style='opacity:.2'>GONE</p></div>", "opacities multiply"),
    ("<p style='filter:opacity(0)'>GONE</p>", "filter"),
    ("<p style='filter:alpha(opacity=0)'>GONE</p>", "Internet Explorer's filter"),
    ("<p style='font-size:0'>GONE</p>", "no size"),
    ("<p style='font-size:0.01em'>GONE</p>", "hundredth of the size"),
    ("<p style='font-size:1px'>GONE</p>", "one pixel"),
    ("<p style='font-size:1%'>GONE</p>", "percent"),
    ("<p style='font-size:calc(0px)'>GONE</p>", "calc"),
    ("<p style='font:1px/1px serif'>GONE</p>", "shorthand"),
    ("<p style='font:0/0 a'>GONE</p>", "shorthand without units"),
    (
        "<div style='font-size:0'>GONE<span style='font-size:14px'>STAYS</span></div>",
        "a child with a size of its own",
    ),
    ("<p style='color:#fff'>GONE</p>", "white on the white canvas"),
    ("<p style='color:#fff;background:#ffffff'>GONE</p>", "white on white"),
    ("<p style='color:hsl(0,0%,100%)'>GONE</p>", "another notation"),
    ("<p style='color:rgb(250 250 250)'>GONE</p>", "nearly white"),
    ("<table bgcolor=white><tr><td><font color='#FFFFFE'>GONE</font></table>", "attributes"),
    ("<body bgcolor=black text=black>GONE<p style='color:white'>STAYS</p>", "body attributes"),
    (
        "<div style='background:#000;color:#111'>GONE<span style='color:#fff'>STAYS</span></div>",
        "black on black",
    ),
    ("<div style='background-color:navy'><p style='color:#000080'>GONE</p></div>", "named and hex"),
    ("<p style='color:transparent'>GONE</p>", "transparent"),
    ("<p style='color:rgba(0,0,0,0)'>GONE</p>", "no alpha"),
    ("<p style='color:#0000'>GONE</p>", "no alpha in hex"),
    ("<p style='-webkit-text-fill-color:transparent'>GONE</p>", "fill colour"),
    ("<p style='background:linear-gradient(#fff,#fefefe);color:#fff'>GONE</p>", "a gradient of one colour"),
    (
        "<div style='color:white;background:black'><p style='background:white;color:inherit'>GONE</p></div>",
        "inherited on white",
    ),
    ("<div style='position:absolute;left:-9999px'>GONE</div>", "off to the left"),
    ("<div style='position:fixed;top:-100vh'>GONE</div>", "off the top in viewport units"),
    ("<div style='position:relative;left:-99em'>GONE</div>", "relative, in em"),
    ("<div style='position:absolute;right:-5000px'>GONE</div>", "off to the right"),
    ("<div style='text-indent:-9999em'>GONE</div>", "indent"),
    ("<div style='margin-left:-9999px'>GONE</div>", "margin"),
    ("<div style='margin:-9999px 0 0 0'>GONE</div>", "margin shorthand"),
    ("<div style='transform:translateX(-9999px)'>GONE</div>", "translated away"),
    ("<div style='transform:scale(0)'>GONE</div>", "scaled to nothing"),
    ("<div style='transform:rotateX(90deg)'>GONE</div>", "turned on its edge"),
    ("<div style='max-height:0;overflow:hidden'>GONE</div>", "no height"),
    ("<div style='height:0;width:0;overflow:hidden'>GONE</div>", "no size"),
    ("<div style='width:1px;height:1px;overflow:hidden'>GONE</div>", "one pixel, for screen readers"),
    ("<div style='line-height:0;overflow:hidden'>GONE</div>", "no line height, clipped"),
    ("<span style='display:block;height:0;overflow:hidden'>GONE</span>", "a span made a block"),
    ("<div style='position:absolute;clip:rect(0,0,0,0)'>GONE</div>", "clip"),
    ("<div style='position:absolute;clip:rect(1px 1px 1px 1px)'>GONE</div>", "clip, old form"),
    ("<div style='clip-path:inset(100%)'>GONE</div>", "clip path"),
    ("<div style='clip-path:circle(0)'>GONE</div>", "clip path, circle"),
    ("<div style='clip-path:polygon(0 0,0 0,0 0)'>GONE</div>", "clip path, polygon"),
    ("<div hidden>GONE</div>", "hidden attribute"),
    ("<div hidden=until-found>GONE</div>", "hidden until found"),
    ("<div hidden style='display:block'>GONE</div>", "hidden attribute with a style that some clients drop"),
    ("<p style='mso-hide:all'>GONE</p>", "Outlook's hiding"),
    ("<!-- GONE -->", "comment"),
    ("<!--[if mso]><p>GONE</p><![endif]-->", "conditional comment"),
    ("<!-- --!><p>STAYS</p><!-- GONE", "comment ends of HTML5, and none at all"),
    ("<!DOCTYPE GONE><?xml GONE?></ GONE>", "declarations and bogus comments"),
    ("<script>GONE</script><template>GONE</template><title>GONE</title>", "not content"),
    ("<textarea>GONE</textarea><select><option>GONE</option></select><input value=GONE>", "form fields"),
    ("<iframe srcdoc='GONE'>GONE</iframe><object>GONE</object><noembed>GONE</noembed>", "embedded"),
    (
        "<svg><text>GONE</text><desc>GONE</desc></svg><canvas>GONE</canvas><video>GONE</video>",
        "drawn or played",
    ),
    ("<dialog>GONE</dialog>", "a closed dialog"),
    ("<p title='GONE' data-x='GONE' aria-label='GONE'>STAYS</p>", "attributes"),
    ("<img alt='GONE' width=0 height=0><img alt='GONE' style='width:1px;height:1px'>", "pictures of no size"),
    ("<div style='opacity:0'><img alt='GONE' src=x></div>", "a transparent picture"),
    ("<style>.x{display:none}</style><p class=x>GONE</p><p class=y>STAYS</p>", "class"),
    ("<style>P.X{display:none}</style><p class=x>GONE</p>", "without case"),
    ("<style>#a{display:none}</style><p id=a>GONE</p>", "id"),
    ("<style>div p{display:none}</style><div><b><p>GONE</p></b></div><p>STAYS</p>", "descendant"),
    ("<style>div>p{display:none}</style><div><p>GONE</p></div>", "child"),
    (
        "<style>h1+p{display:none}h1~div{display:none}</style><h1>STAYS</h1><p>GONE</p><i>,</i><div>GONE</div>",
        "siblings",
    ),
    ("<style>p,.x{display:none}</style><p>GONE</p><div class='a x'>GONE</div>", "list"),
    ("<style>p:first-child{display:none}</style><div><p>GONE</p><p>STAYS</p></div>", "first child"),
    ("<style>li:nth-child(even){display:none}</style><ul><li>STAYS<li>GONE</ul>", "even items"),
    ("<style>[data-x=\"1\"]{display:none}</style><p data-x=1>GONE</p>", "attribute"),
    ("<style>p:not(.y){display:none}</style><p>GONE</p><p class=y>STAYS</p>", "not"),
    ("<style>p:is(.x,.z){display:none}</style><p class=x>GONE</p><p>STAYS</p>", "is"),
    (
        "<style>p:unheard-of{display:none}</style><p>GONE</p>",
        "a pseudo-class that isn't read counts where it hides",
    ),
    (
        "<style>.x{display:none}.x{display:block}</style><p class=x>STAYS</p><p style='display:none'>GONE</p>",
        "the later rule",
    ),
    ("<style>#a{display:none}p{display:block}</style><p id=a>GONE</p>", "the stronger rule"),
    (
        "<style>.x{display:none!important}</style><p class=x style='display:block'>GONE</p>",
        "important over the attribute",
    ),
    ("<style>@media screen{.x{display:none}}</style><p class=x>GONE</p>", "media"),
    ("<style>@media (min-width:1px){.x{display:none}}</style><p class=x>GONE</p>", "media that always holds"),
    (
        "<style>@media (prefers-reduced-motion){.x{display:none}}</style><p class=x>GONE</p>",
        "media that may hold",
    ),
    (
        "<style>.x{display:none}@media (prefers-reduced-motion){.x{display:block}}</style><p class=x>GONE</p>",
        "media that may show",
    ),
    (
        "<style>@media print{.y{display:none}}.x{display:none}</style><p class=x>GONE</p><p class=y>STAYS</p>",
        "print",
    ),
    ("<style media=print>.y{display:none}</style><p class=y>STAYS</p>", "a sheet for print"),
    ("<style><!-- .x{display:none} --></style><p class=x>GONE</p>", "old comment marks in a sheet"),
    (
        "<style>@import 'a.css';@font-face{x:y}.x{display:none}</style><p class=x>GONE</p>",
        "after other at-rules",
    ),
    ("<style>.a{color:red}}.x{display:none}</style><p class=x>GONE</p>", "after a stray brace"),
    ("<style>.x{display:none</style><p class=x>GONE</p>", "a sheet without an end"),
    ("<p>STAYS</p><style>.x{display:none}</style><p class=x>GONE</p>", "a sheet in the body"),
    ("<style>.x{color:#fff}</style><p class=x>GONE</p>", "colour by class"),
    ("<p style=\"background:url(it's.jpg);display:none\">GONE</p>", "a quote in a bare address"),
    ("<p style='background:url(a/*.jpg);display:none'>GONE</p>", "a comment's start in a bare address"),
    ("<style>.a{background:url(it's.jpg)}.x{display:none}</style><p class=x>GONE</p>", "the same in a sheet"),
    ("<style>p:not(:empty){display:none}</style><p>GONE</p>", "a negation of what isn't read"),
    ("<style>p:nth-child(1 of .x){display:none}</style><p class=x>GONE</p>", "a count of what isn't read"),
    ("<style>p:is(div p){display:none}</style><div><p>GONE</p></div>", "a descendant in a list"),
    ("<style>*|p{display:none}</style><p>GONE</p>", "any namespace"),
    (
        "<style>input:checked~p{display:none}</style><p>STAYS</p><input type=checkbox checked><p>GONE</p>",
        "after a ticked box",
    ),
    ("<style>input:disabled~p{display:none}</style><input disabled><p>GONE</p>", "after a disabled field"),
    ("<style>input:invalid~p{display:none}</style><input required><p>GONE</p>", "after an empty field"),
    ("<xml><o:x>GONE</o:x></xml>", "Office data"),
];

#[test]
fn hidden_text_is_gone() {
    for (html, why) in HIDING {
        let result = to_text(html);
        assert!(!result.text.contains("GONE"), "{why}: {html}\n{}", result.text);
        assert_eq!(html.contains("STAYS"), result.text.contains("STAYS"), "{why}: {html}\n{}", result.text);
        assert!(!result.truncated, "{why}");
    }
}

#[test]
fn what_only_looks_hidden_stays() {
    check(&[
        (
            "<div style='background:#000'><span style='color:#fff'>STAYS</span></div>",
            "STAYS",
            "white on black",
        ),
        (
            "<table bgcolor='#333'><tr><td style='color:#fff'>STAYS</td></tr></table>",
            "STAYS",
            "white on a dark table",
        ),
        (
            "<table><td background=hero.jpg><font color=white>STAYS</font></table>",
            "STAYS",
            "white on a picture",
        ),
        ("<div style='background:url(a.jpg);color:#fff'>STAYS</div>", "STAYS", "white on a picture by style"),
        (
            "<p style='color:white'><a href='https://a.example/'>STAYS</a></p>",
            "STAYS <https://a.example/>",
            "a link has its own colour",
        ),
        ("<p style='color:#ccc'>STAYS</p>", "STAYS", "pale isn't hidden"),
        ("<p style='opacity:.5'>STAYS</p>", "STAYS", "half transparent"),
        ("<p style='font-size:9px'>STAYS</p>", "STAYS", "small print"),
        ("<font size=0>STAYS</font><font size=-7>!</font>", "STAYS!", "HTML's smallest size is read"),
        ("<span style='height:0;overflow:hidden'>STAYS</span>", "STAYS", "a span has no height"),
        ("<div style='height:0'>STAYS</div>", "STAYS", "without clipping it overflows"),
        ("<p style='line-height:0'>STAYS</p>", "STAYS", "lines overlap but show"),
        ("<div style='position:absolute;left:10px;top:-20px'>STAYS</div>", "STAYS", "a small shift"),
        ("<p style='text-indent:-20px'>STAYS</p>", "STAYS", "a hanging indent"),
        ("<p style='left:-9999px'>STAYS</p>", "STAYS", "an offset without a position"),
        ("<p aria-hidden=true>STAYS</p>", "STAYS", "hidden from screen readers alone"),
        ("<!--[if !mso]><!--><p>STAYS</p><!--<![endif]-->", "STAYS", "for everyone but Outlook"),
        ("<![if !mso]><p>STAYS</p><![endif]>", "STAYS", "the same, the other way"),
        ("<noscript>STAYS</noscript>", "STAYS", "mail clients run no scripts"),
        ("<details><summary>STAYS</summary>in</details>", "STAYS\nin", "one click away"),
        (
            "<style>@media (max-width:600px){.x{display:none}}</style><p class=x>STAYS</p>",
            "STAYS",
            "hidden on phones alone",
        ),
        ("<style>p:hover{display:none}p::before{display:none}</style><p>STAYS</p>", "STAYS", "not at rest"),
        ("<style>a.x{display:none}</style><p class=x>STAYS</p>", "STAYS", "another element"),
        (
            "<style>#t:checked~p{display:none}</style><input id=t type=checkbox><p>STAYS</p>",
            "STAYS",
            "an empty box",
        ),
        (
            "<style>.x{visibility:hidden}</style><p class=x style='visibility:visible'>STAYS</p>",
            "STAYS",
            "overridden",
        ),
        ("<p style='color:#fff;color:#000'>STAYS</p>", "STAYS", "the later colour"),
        ("<p style='clip:rect(0,0,0,0)'>STAYS</p>", "STAYS", "clip needs an absolute position"),
        ("<button style='color:#000'>STAYS</button>", "STAYS", "a button"),
    ]);
}

#[test]
fn it_says_that_text_was_left_out() {
    assert!(to_text("<p>a</p><p style='display:none'>b</p>").hidden_dropped);
    assert!(to_text("<p>a</p><div hidden><p><b>b</b></p></div>").hidden_dropped);
    assert!(
        !to_text("<p>a</p><div style='display:none'>\u{a0}\u{200c} </div>").hidden_dropped,
        "padding isn't text"
    );
    assert!(!to_text("<p>a</p><!-- b -->").hidden_dropped);
}

#[test]
fn the_classifier_reads_hidden_text_too() {
    let kept = to_text_keep_hidden(
        "<p>a</p><p style='display:none'>b</p><p style='font-size:0'>c</p><textarea>d</textarea><script>e</script>",
    );
    assert_eq!(kept.text, "a\n\nb\n\nc\n\nd");
    assert!(!kept.hidden_dropped);
}
