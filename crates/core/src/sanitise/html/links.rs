//! Where a link really goes.
//!
//! The text of a link is whatever its author wrote; the target is read as a browser reads it (WHATWG URL): blanks
//! and control characters inside are dropped, backslashes are slashes, a user name before `@` is not the host, a
//! host in other letters is its A-label. Script and data targets aren't shown at all.

/// Longest target shown, in characters; tracking targets reach two thousand.
const LONGEST: usize = 2_048;

/// What stands behind a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A place to go: what to show, the host if there is one, and whether a user name was in front of it.
    Place { shown: String, host: Option<String>, user: Option<String> },
    /// A target that runs or holds something: not shown.
    Removed,
    /// A place in the same message, or nothing.
    None,
}

/// Reads an `href`. `base` is the document's base URL, if it has one.
pub(super) fn target(href: &str, base: Option<&str>) -> Target {
    let cleaned = clean(href);
    if cleaned.is_empty() || cleaned.starts_with('#') {
        return Target::None;
    }
    let Some((scheme, rest)) = scheme(&cleaned) else {
        return relative(&cleaned, base);
    };
    match scheme.as_str() {
        "http" | "https" | "ftp" | "ftps" | "webcal" | "ws" | "wss" => web(&scheme, rest),
        "mailto" | "tel" | "sms" | "callto" | "sip" | "sips" | "xmpp" | "geo" | "facetime" | "skype"
        | "news" => Target::Place { shown: short(&format!("{scheme}:{rest}")), host: None, user: None },
        _ => Target::Removed,
    }
}

fn relative(text: &str, base: Option<&str>) -> Target {
    let slashed = text.replace('\\', "/");
    if let Some(rest) = slashed.strip_prefix("//") {
        return web("https", rest);
    }
    match base.map(|base| target(base, None)) {
        Some(Target::Place { shown, host: Some(_), .. }) => {
            let origin_end = shown.match_indices('/').nth(2).map_or(shown.len(), |(at, _)| at);
            let origin = shown.get(..origin_end).unwrap_or(&shown);
            target(&format!("{origin}/{}", slashed.trim_start_matches('/')), None)
        }
        _ => Target::Place { shown: short(text), host: None, user: None },
    }
}

/// What browsers drop from a URL before reading it: tabs and line ends anywhere, other controls and blanks at the
/// ends. Invisible characters go too: they are there to deceive.
fn clean(href: &str) -> String {
    let visible = super::super::invisible::strip(href);
    let kept: String = visible.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    kept.trim_matches(|c: char| c.is_whitespace() || c.is_control())
        .chars()
        .filter(|c| !c.is_control())
        .collect()
}

fn scheme(text: &str) -> Option<(String, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let mut letters = scheme.chars();
    let valid = letters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    // `example.com:8080/x` has no scheme, whatever stands before the colon.
    let port = rest.chars().next().is_some_and(|c| c.is_ascii_digit()) && scheme.contains('.');
    (valid && !port).then(|| (scheme.to_ascii_lowercase(), rest))
}

fn web(scheme: &str, rest: &str) -> Target {
    let rest = rest.trim_start_matches(['/', '\\']);
    let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let (user, place) = match authority.rsplit_once('@') {
        Some((user, place)) => (Some(user), place),
        None => (None, authority),
    };
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|c| c.is_ascii_digit()) => {
            (host, Some(port).filter(|port| !port.is_empty()))
        }
        _ => (place, None),
    };
    let host = host_name(host);
    if host.is_empty() {
        return Target::None;
    }
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    let path = path.replace('\\', "/");
    Target::Place {
        shown: short(&format!("{scheme}://{host}{port}{path}")),
        host: Some(host),
        user: user.map(|user| super::super::header::line_within(user, 100)),
    }
}

/// The host as the resolver gets it: percent-decoded, lower case, A-labels.
fn host_name(host: &str) -> String {
    let decoded = percent_decoded(host);
    let ascii = idna::domain_to_ascii(decoded.trim_end_matches('.')).ok().filter(|ascii| !ascii.is_empty());
    ascii
        .unwrap_or_else(|| decoded.chars().flat_map(char::escape_default).collect::<String>())
        .to_ascii_lowercase()
}

fn percent_decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        let digits = tail.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match digits.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(decoded) if byte == b'%' => {
                bytes.push(decoded);
                rest = tail.get(2..).unwrap_or_default();
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Fit to stand between `<` and `>`: no blanks, no angle brackets, no more than [`LONGEST`].
fn short(url: &str) -> String {
    let mut out = String::with_capacity(url.len().min(LONGEST));
    for (count, c) in url.chars().enumerate() {
        if count >= LONGEST {
            out.push('…');
            break;
        }
        match c {
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            c if c.is_whitespace() => out.push_str("%20"),
            c => out.push(c),
        }
    }
    out
}

/// What to write after the text of a link. The text has been written already.
pub(super) fn suffix(text: &str, target: &Target) -> Option<String> {
    let text = text.trim();
    match target {
        Target::None => None,
        Target::Removed => Some("[link removed]".to_owned()),
        Target::Place { shown, host, user } => {
            if user.is_none() && same(text, shown) {
                return None;
            }
            let mut out = format!("<{shown}>");
            if let Some(host) = host {
                if let Some(user) = user {
                    let note = format!(" [\"{user}@\" in the link is a user name: it goes to {host}]");
                    out.push_str(&note);
                }
                if let Some(named) = named_host(text).filter(|named| !is_same_site(named, host)) {
                    let note = format!(" [the text names {named}, the link goes to {host}]");
                    out.push_str(&note);
                }
            }
            Some(out)
        }
    }
}

/// Whether a link's text is its target, give or take the scheme and a slash at the end.
fn same(text: &str, shown: &str) -> bool {
    let bare = |url: &str| {
        let lower = url.to_ascii_lowercase();
        let bare = ["https://", "http://", "mailto:", "tel:"]
            .iter()
            .find_map(|scheme| lower.strip_prefix(scheme))
            .unwrap_or(&lower);
        bare.trim_end_matches('/').to_owned()
    };
    bare(text) == bare(shown)
}

/// The host that a link's text names, if it looks like naming one.
fn named_host(text: &str) -> Option<String> {
    text.split_whitespace().take(20).find_map(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let after_scheme = word.split_once("://").map_or(word, |(_, rest)| rest);
        let host = after_scheme.split(['/', '?', '#', '\\', ':']).next()?;
        // A mail address names a mailbox, not a page.
        if host.contains('@') || host.len() > 253 {
            return None;
        }
        let (before, last) = host.rsplit_once('.')?;
        let looks_like_one = last.chars().count() >= 2
            && last.chars().all(|c| c.is_alphabetic() || (last.starts_with("xn--") && (c.is_ascii_alphanumeric() || c == '-')))
            && !before.is_empty()
            && host.split('.').all(|label| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-'))
            // A file name or the end of a sentence isn't a host, unless it is written as one.
            && (word.contains("://") || host.starts_with("www.") || !is_file_ending(last));
        looks_like_one.then(|| host_name(host))
    })
}

fn is_file_ending(ending: &str) -> bool {
    matches!(
        ending.to_ascii_lowercase().as_str(),
        "pdf"
            | "doc"
            | "docx"
            | "xls"
            | "xlsx"
            | "ppt"
            | "pptx"
            | "txt"
            | "csv"
            | "jpg"
            | "jpeg"
            | "png"
            | "gif"
            | "html"
            | "htm"
            | "js"
            | "json"
            | "xml"
            | "ics"
    )
}

/// One host is the other or lies below it; `www.` doesn't count.
fn is_same_site(a: &str, b: &str) -> bool {
    let (a, b) = (a.strip_prefix("www.").unwrap_or(a), b.strip_prefix("www.").unwrap_or(b));
    let below = |low: &str, high: &str| {
        low.strip_suffix(high).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    below(a, b) || below(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        let place = |shown: &str, host: &str| (shown.to_owned(), host.to_owned());
        let cases = [
            ("https://a.example/x", place("https://a.example/x", "a.example"), "as it is"),
            (" HTTPS:\\\\A.Example\\x ", place("https://a.example/x", "a.example"), "backslashes and case"),
            (
                "https://bank.example@evil.example/",
                place("https://evil.example/", "evil.example"),
                "user name",
            ),
            (
                "https://a@b@evil.example:8443?q",
                place("https://evil.example:8443?q", "evil.example"),
                "two user names",
            ),
            ("https:evil.example", place("https://evil.example", "evil.example"), "slashes left out"),
            ("//evil.example/x", place("https://evil.example/x", "evil.example"), "scheme left out"),
            ("https://%65vil.example/", place("https://evil.example/", "evil.example"), "host in escapes"),
            (
                "https://pošta.example/",
                place("https://xn--pota-h6a.example/", "xn--pota-h6a.example"),
                "U-label",
            ),
            (
                "ht\ntps://evil\u{200b}.example/\t",
                place("https://evil.example/", "evil.example"),
                "broken up",
            ),
            ("https://a.example/<b> c", place("https://a.example/%3Cb%3E%20c", "a.example"), "brackets"),
        ];
        for (href, (shown, host), why) in cases {
            let Target::Place { shown: got, host: Some(at), .. } = target(href, None) else {
                panic!("{why}: {:?}", target(href, None))
            };
            assert_eq!((got, at), (shown, host), "{why}");
        }
        for href in [
            "javascript:alert(1)",
            " java\nscript:x",
            "JAVASCRIPT:x",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc",
            "\u{1}javascript:x",
        ] {
            assert_eq!(target(href, None), Target::Removed, "{href:?}");
        }
        assert_eq!(target("#top", None), Target::None);
        assert!(
            matches!(target("/x", Some("https://evil.example/a/b")), Target::Place { shown, .. } if shown == "https://evil.example/x")
        );
    }

    #[test]
    fn suffixes() {
        let cases = [
            ("https://a.example/", "https://a.example", None, "the text is the target"),
            ("Read more", "https://a.example/x", Some("<https://a.example/x>"), "a word"),
            (
                "https://bank.example",
                "https://evil.example/x",
                Some("<https://evil.example/x> [the text names bank.example, the link goes to evil.example]"),
                "another host",
            ),
            (
                "www.a.example",
                "https://click.a.example/1",
                Some("<https://click.a.example/1>"),
                "the same site",
            ),
            ("report.pdf", "https://a.example/1", Some("<https://a.example/1>"), "a file name"),
            ("ada@a.example", "mailto:ada@a.example", None, "an address"),
            ("x", "javascript:x", Some("[link removed]"), "a script"),
        ];
        for (text, href, wanted, why) in cases {
            assert_eq!(suffix(text, &target(href, None)).as_deref(), wanted, "{why}");
        }
    }
}
