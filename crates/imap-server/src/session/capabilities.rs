//! What a server announces, one flag a capability. An announcement is a hint: what it enables is refused gracefully where
//! the server then says no.

use super::value::Value;

/// Capabilities that change what we send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Capabilities {
    /// `IMAP4rev2` (RFC 9051): UIDPLUS, MOVE, SPECIAL-USE and LIST-STATUS are part of it.
    pub(crate) rev2: bool,
    /// STARTTLS.
    pub(crate) starttls: bool,
    /// LOGINDISABLED: no LOGIN on this connection.
    pub(crate) login_disabled: bool,
    /// AUTH=PLAIN (RFC 4616).
    pub(crate) auth_plain: bool,
    /// UIDPLUS (RFC 4315): APPENDUID, COPYUID, UID EXPUNGE.
    pub(crate) uidplus: bool,
    /// MOVE (RFC 6851).
    pub(crate) moves: bool,
    /// SPECIAL-USE (RFC 6154), or XLIST's successor on old Gmail.
    pub(crate) special_use: bool,
    /// LIST-STATUS (RFC 5819) over LIST-EXTENDED (RFC 5258).
    pub(crate) list_status: bool,
}

impl Capabilities {
    /// Reads the values of a CAPABILITY answer.
    pub(crate) fn read(values: &[Value]) -> Self {
        let mut found = Self::default();
        for value in values {
            match value.word().as_str() {
                "IMAP4REV2" => found.rev2 = true,
                "STARTTLS" => found.starttls = true,
                "LOGINDISABLED" => found.login_disabled = true,
                "AUTH=PLAIN" => found.auth_plain = true,
                "UIDPLUS" => found.uidplus = true,
                "MOVE" => found.moves = true,
                "SPECIAL-USE" => found.special_use = true,
                "LIST-STATUS" => found.list_status = true,
                _ => {}
            }
        }
        found.uidplus |= found.rev2;
        found.moves |= found.rev2;
        found.special_use |= found.rev2;
        found.list_status |= found.rev2;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::value::parse;

    #[test]
    fn spacing_order_and_letter_case_do_not_matter() {
        let found = Capabilities::read(&parse(b" IMAP4rev1  auth=plain UidPlus  MOVE "));
        assert!(found.auth_plain && found.uidplus && found.moves && !found.special_use);
        assert!(Capabilities::read(&parse(b"IMAP4rev2")).uidplus);
    }
}
