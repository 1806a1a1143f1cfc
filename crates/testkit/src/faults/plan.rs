//! What the test asked for, and what was counted.

/// A place in the conversation.
#[derive(Clone, Debug)]
pub enum Place {
    /// The client has sent this command, or message end; the server has not seen it.
    Before(String),
    /// The server has finished this command; the client has not seen that.
    BeforeReply(String),
    /// The server's answer to this command has a literal, of which so many bytes have reached the client (IMAP).
    InLiteral(String, usize),
}

/// What to do there.
#[derive(Clone, Debug)]
pub enum Action {
    /// Let nothing through in this direction until [`super::Proxy::release`]. Where the client goes away
    /// meanwhile, what is held is lost with it.
    Hold,
    /// Close both sides.
    Cut,
    /// Let this go by in silence and go on: the client, or the server, waits in vain.
    Swallow,
    /// Instead of asking the server, answer this line (without its CRLF; `{tag}` is the command's tag in IMAP).
    /// It makes sense before a command only; at other places it replaces the server's own last line.
    Answer(String),
}

/// Names a rule of [`super::Proxy::at`].
#[derive(Clone, Copy, Debug)]
pub struct Reached(pub(super) usize);

/// What has gone through.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Connections accepted, TLS done.
    pub connections: usize,
    /// Every command line, without tag, in order over all connections; `.` is an SMTP message's end. Lines that
    /// answer a challenge are left out. Passwords of the tests' users are in here.
    pub commands: Vec<String>,
    /// Times the client spoke after the server had spoken: one flush, however many commands it holds, is one.
    /// The TLS handshake is not counted.
    pub round_trips: usize,
    /// Bytes from the client, without TLS.
    pub from_client: u64,
    /// Bytes from the server, without TLS.
    pub from_server: u64,
}

impl Tally {
    /// How many commands began so.
    pub fn count(&self, command: &str) -> usize {
        self.commands.iter().filter(|line| begins(line, command)).count()
    }
}

#[derive(Default)]
pub(super) struct State {
    pub(super) rules: Vec<Rule>,
    pub(super) tally: Tally,
    /// How often everything was released and cut; who waits compares.
    pub(super) releases: u64,
    pub(super) cuts: u64,
}

pub(super) struct Rule {
    place: Place,
    left: usize,
    action: Action,
    pub(super) acted: bool,
}

impl Rule {
    pub(super) fn new(place: Place, nth: usize, action: Action) -> Self {
        Self { place, left: nth.max(1), action, acted: false }
    }
}

impl State {
    pub(super) fn release(&mut self) {
        self.releases = self.releases.wrapping_add(1);
    }

    /// The client's command is complete.
    pub(super) fn before(&mut self, command: &str) -> Option<Action> {
        self.act(|place| matches!(place, Place::Before(wanted) if begins(command, wanted)))
    }

    /// The server's last line for a command is complete.
    pub(super) fn before_reply(&mut self, command: &str) -> Option<Action> {
        self.act(|place| matches!(place, Place::BeforeReply(wanted) if begins(command, wanted)))
    }

    /// A literal begins in the answer to one of these commands; how many of its bytes go before the action.
    pub(super) fn in_literal(&mut self, commands: &[&str]) -> Option<(usize, Action)> {
        let mut bytes = 0;
        let action = self.act(|place| match place {
            Place::InLiteral(wanted, after) => {
                bytes = *after;
                commands.iter().any(|command| begins(command, wanted))
            }
            Place::Before(_) | Place::BeforeReply(_) => false,
        })?;
        Some((bytes, action))
    }

    fn act(&mut self, mut matches: impl FnMut(&Place) -> bool) -> Option<Action> {
        for rule in self.rules.iter_mut().filter(|rule| !rule.acted) {
            if matches(&rule.place) {
                rule.left = rule.left.saturating_sub(1);
                if rule.left == 0 {
                    rule.acted = true;
                    return Some(rule.action.clone());
                }
            }
        }
        None
    }
}

/// Whether a command line begins with these words, in any case and up to the end of a word.
fn begins(line: &str, words: &str) -> bool {
    line.split_at_checked(words.len()).is_some_and(|(head, rest)| {
        head.eq_ignore_ascii_case(words) && rest.chars().next().is_none_or(|next| matches!(next, ' ' | ':'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_matched_by_whole_words_in_any_case() {
        assert!(begins("uid store 1 +FLAGS", "UID STORE") && begins("MAIL FROM:<a@b>", "MAIL FROM"));
        assert!(!begins("UID STOREX", "UID STORE") && !begins("UID", "UID STORE"));
    }

    #[test]
    fn a_rule_acts_once_at_its_turn() {
        let mut state = State::default();
        state.rules.push(Rule::new(Place::Before("APPEND".into()), 2, Action::Cut));
        assert!(state.before("APPEND x").is_none() && state.before_reply("APPEND x").is_none());
        assert!(matches!(state.before("append y"), Some(Action::Cut)));
        assert!(state.before("APPEND z").is_none());
    }
}
