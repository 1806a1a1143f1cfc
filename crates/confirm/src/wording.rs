//! The sentences that the model reads and the two that stand in the form, all in one place.
//!
//! Each says what was not done, why, and what to do next, and none invites the model to repeat a call without the
//! person. They are part of the crate's behaviour: a test below pins them word for word.

use crate::Declined;

/// Title of the form's only field.
#[cfg(feature = "rmcp")]
pub(crate) const CONFIRM_TITLE: &str = "Confirm";

/// Description of the form's only field.
#[cfg(feature = "rmcp")]
pub(crate) const CONFIRM_DESCRIPTION: &str =
    "Tick to do exactly what is shown above. Leave it unticked and nothing is done.";

/// The sentence for one way of not being confirmed.
pub(crate) const fn declined(why: Declined) -> &'static str {
    match why {
        Declined::CannotPrompt => {
            "Nothing was done: this client cannot show a confirmation prompt (it declares no MCP form elicitation), \
             and this is never done without one. Tell the user, who can do it themselves or use a client that \
             shows such prompts."
        }
        Declined::PromptsOff => {
            "Nothing was done: confirmation prompts are turned off for this server, and this is never done without \
             one. Tell the user, who can do it themselves or remove MCP_CONFIRM_ELICITATION=off from the server's \
             settings."
        }
        Declined::Refused => {
            "Nothing was done: the user declined. Do not call again unless the user asks for it."
        }
        Declined::Cancelled => {
            "Nothing was done: the prompt was closed or the call cancelled before the user agreed. Do not call again \
             unless the user asks for it."
        }
        Declined::Unticked => {
            "Nothing was done: the prompt was accepted without its confirmation box being ticked, which counts as \
             no. If the user meant yes, call again with the same arguments so that they can tick it."
        }
        Declined::Unanswered => {
            "Nothing was done: the confirmation prompt failed or was not answered in time. Ask the user whether they \
             saw a prompt; if they want this done, call again with the same arguments for a new one."
        }
        Declined::Changed => {
            "Nothing was done: what would happen is no longer what the user was shown, so their answer does not \
             count. Check what changed, then call again with the same arguments; the user will be asked anew."
        }
        Declined::Stricter => {
            "Nothing was done: a restriction came into force after the user was asked, so their answer does not \
             cover it. Call again with the same arguments; the user will be shown it as it stands now."
        }
        Declined::BadState => {
            "Nothing was done: the confirmation that came with this call was not issued by this server for this \
             tool, account and arguments. Start again: call with the arguments alone, and the user will be asked \
             anew."
        }
        Declined::Expired => {
            "Nothing was done: the confirmation came back after its time was up. Start again: call with the same \
             arguments alone, and the user will be asked anew."
        }
        Declined::KeyUnavailable => {
            "Nothing was done: this server cannot use the key that protects confirmations. Tell the user to look at \
             the server's log and its state directory (the key file must be complete and readable by its owner \
             only); calling again will not help until that is fixed."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_pinned() {
        let said: Vec<_> = Declined::ALL.iter().map(|d| format!("{} | {}", d.code(), d.words())).collect();
        assert_eq!(said, include_str!("wording.expect.txt").lines().collect::<Vec<_>>());
    }

    #[test]
    fn every_sentence_says_that_nothing_was_done() {
        for why in Declined::ALL {
            assert!(why.words().starts_with("Nothing was done: "), "{why:?}");
        }
    }

    #[test]
    fn a_refused_confirmation_says_how_to_start_again() {
        for why in [Declined::BadState, Declined::Expired] {
            assert!(why.words().contains("Start again: call with"), "{why:?}");
        }
    }
}
