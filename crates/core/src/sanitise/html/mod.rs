//! An HTML body to the text that a person would see in it.
//!
//! html5ever builds the tree that a browser would ([`dom`], [`parse`]); a small reading of CSS says what of it is
//! visible ([`css`], [`visibility`]); one walk writes readable text ([`walk`], [`blocks`]): links with their real
//! target ([`links`]), lists, quotes marked with `> `, data tables as rows. Scripting is off, nothing is fetched.
//!
//! Hidden text is dropped because a person who reads the mail can't notice it: `display`, `visibility`, opacity,
//! size, colour on the same colour, off-screen positions, clipping, the `hidden` attribute, `mso-hide`, comments,
//! and elements that mail clients don't render. Text under a picture, or under another element that is drawn
//! over it, isn't recognised: that needs layout. `aria-hidden` text is visible and stays.

pub(crate) mod blocks;
pub(crate) mod css;
mod dom;
mod links;
mod parse;
mod tables;
mod visibility;
mod walk;

/// Most bytes of HTML read. The largest newsletters have a few hundred kilobytes.
pub const INPUT_LIMIT: usize = 4 * 1024 * 1024;
/// Most bytes of text given back.
pub const OUTPUT_LIMIT: usize = 1024 * 1024;
/// Stands at the end of a text that isn't whole, so that the text says it by itself.
pub const CUT_NOTE: &str = "[the rest of this message is too long or too deeply nested to show]";

/// The text of an HTML body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HtmlText {
    /// What a person would read.
    pub text: String,
    /// Whether text was left out because a person wouldn't see it.
    pub hidden_dropped: bool,
    /// Whether some limit was reached; the text then ends with [`CUT_NOTE`].
    pub truncated: bool,
}

/// The visible text.
pub fn to_text(html: &str) -> HtmlText {
    convert(html, false)
}

/// The same walk with hidden text kept, for judging a message by everything that is in it. Never for showing.
pub fn to_text_keep_hidden(html: &str) -> HtmlText {
    convert(html, true)
}

fn convert(html: &str, keep_hidden: bool) -> HtmlText {
    let (tree, cut) = parse::parse(html);
    let mut result = walk::walk(&tree, keep_hidden);
    if cut || result.truncated {
        result.truncated = true;
        if !result.text.is_empty() {
            result.text.push_str("\n\n");
        }
        result.text.push_str(CUT_NOTE);
    }
    result
}

#[cfg(test)]
mod tests;
