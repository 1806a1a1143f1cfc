//! The defaults of each kind of provider, as one table. An owner may set any of it stricter or looser.

use crate::{
    mode::{ConfirmMode, WithoutElicitation},
    treatment::{Treatment, Treatments},
};

/// The owner's rules for one account, from the configuration file alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesConfig {
    /// When the person is asked.
    pub confirm: ConfirmMode,
    /// What happens where nobody can be asked.
    pub without_elicitation: WithoutElicitation,
    /// How a draft may go out.
    pub treatments: Treatments,
    /// Distinct addresses that one message may name in `To`, `Cc`, `Bcc` and `Reply-To`.
    pub max_recipients: u32,
    /// Sends in a rolling 24 hours, over all processes of the sign-in.
    pub max_sends: u32,
    /// New addresses in a rolling 24 hours.
    pub max_new_addresses: u32,
    /// Sends in a rolling hour, where there is such a limit.
    pub sends_per_hour: Option<u32>,
    /// Addresses and domains; where there are any, nothing goes anywhere else. A domain doesn't include its subdomains.
    pub allow: Vec<String>,
    /// Addresses and domains that count as known.
    pub known: Vec<String>,
    /// Whether people become known by a send to them that the person confirmed, 24 hours later.
    pub confirmed_become_known: bool,
    /// Whether a picture that is part of the message may be shown in its text (`cid:`).
    pub embedded_pictures: bool,
}

/// A kind of provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// IMAP and SMTP.
    Imap,
    /// Microsoft Graph.
    Graph,
    /// fmsg.
    Fmsg,
    /// HEY.
    Hey,
}

/// What the IMAP and Graph profiles are: every read exposes there, so an exposed send is shown, not refused.
const MAILBOX: RulesConfig = RulesConfig {
    confirm: ConfirmMode::Always,
    without_elicitation: WithoutElicitation::Refuse,
    treatments: Treatments {
        to_new: Treatment::PlainText,
        to_new_exposed: Treatment::PlainText,
        to_known: Treatment::AsIs,
        to_known_exposed: Treatment::AsIs,
    },
    max_recipients: 20,
    max_sends: 50,
    max_new_addresses: 10,
    sends_per_hour: None,
    allow: Vec::new(),
    known: Vec::new(),
    confirmed_become_known: true,
    embedded_pictures: true,
};

impl RulesConfig {
    /// The rules of a provider's accounts where the owner wrote none.
    pub fn of(profile: Profile) -> Self {
        match profile {
            Profile::Imap | Profile::Graph => MAILBOX,
            Profile::Fmsg => Self {
                confirm: ConfirmMode::NewRecipients,
                max_sends: 1_000,
                max_new_addresses: 50,
                embedded_pictures: false,
                ..MAILBOX
            },
            Profile::Hey => Self {
                treatments: Treatments {
                    to_new_exposed: Treatment::Refused,
                    to_known_exposed: Treatment::PlainText,
                    ..MAILBOX.treatments
                },
                confirmed_become_known: false,
                embedded_pictures: false,
                ..MAILBOX
            },
        }
    }
}

impl Default for RulesConfig {
    fn default() -> Self {
        Self::of(Profile::Imap)
    }
}

impl Profile {
    /// The profile of a provider by its word; the strictest for a word that isn't one.
    pub fn of_provider(provider: &str) -> Self {
        match provider {
            "imap" | "memory" => Self::Imap,
            "graph" => Self::Graph,
            "fmsg" => Self::Fmsg,
            _ => Self::Hey,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_table() {
        use Treatment::{AsIs, PlainText, Refused};
        for (profile, confirm, treatments, caps, become_known, pictures) in [
            (Profile::Imap, "always", [PlainText, PlainText, AsIs, AsIs], (20, 50, 10, None), true, true),
            (Profile::Graph, "always", [PlainText, PlainText, AsIs, AsIs], (20, 50, 10, None), true, true),
            (
                Profile::Fmsg,
                "new-recipients",
                [PlainText, PlainText, AsIs, AsIs],
                (20, 1_000, 50, None),
                true,
                false,
            ),
            (Profile::Hey, "always", [PlainText, Refused, AsIs, PlainText], (20, 50, 10, None), false, false),
        ] {
            let rules = RulesConfig::of(profile);
            let Treatments { to_new, to_new_exposed, to_known, to_known_exposed } = rules.treatments;
            assert_eq!(rules.confirm.as_str(), confirm, "{profile:?}");
            assert_eq!([to_new, to_new_exposed, to_known, to_known_exposed], treatments, "{profile:?}");
            let RulesConfig { max_recipients, max_sends, max_new_addresses, sends_per_hour, .. } = rules;
            assert_eq!((max_recipients, max_sends, max_new_addresses, sends_per_hour), caps, "{profile:?}");
            assert_eq!((rules.confirmed_become_known, rules.embedded_pictures), (become_known, pictures));
            assert_eq!(rules.without_elicitation, WithoutElicitation::Refuse);
            assert!(rules.allow.is_empty() && rules.known.is_empty());
        }
        assert_eq!(RulesConfig::default(), RulesConfig::of(Profile::Imap));
    }

    #[test]
    fn a_provider_without_a_profile_has_the_strictest() {
        for (word, profile) in [
            ("imap", Profile::Imap),
            ("memory", Profile::Imap),
            ("graph", Profile::Graph),
            ("fmsg", Profile::Fmsg),
            ("hey", Profile::Hey),
            ("other", Profile::Hey),
        ] {
            assert_eq!(Profile::of_provider(word), profile);
        }
    }
}
