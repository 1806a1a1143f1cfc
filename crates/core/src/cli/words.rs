//! What happened at a sign-in, for the person who is at the keyboard. A tool's words speak to a model about a person;
//! these speak to the person.

use crate::mailbox::{CertificateFault, ConnectFault, MailboxError};

/// What went wrong, and what may help.
#[expect(clippy::wildcard_enum_match_arm, reason = "most errors can't come of a sign-in; their own words do")]
pub(super) fn sign_in(error: &MailboxError) -> String {
    let (what, hint) = match error {
        MailboxError::Connect(peer, fault) => return connect(peer.name(), *fault),
        MailboxError::SignIn(peer) => {
            return format!(
                "the {} refused the user name or password; many providers want an app password, made in their settings",
                peer.name()
            );
        }
        MailboxError::NoCredential => ("no password is kept for this account", "run `login`"),
        MailboxError::CredentialStore => ("the kept password can't be read", "`status` says why"),
        MailboxError::Configuration(setting) => return format!("the setting `{setting}` can't be used"),
        MailboxError::Throttled => ("the server asks to slow down", "try again in a few minutes"),
        MailboxError::TimedOut => ("the server did not answer in time", "try again, or check host and port"),
        other => return other.to_string(),
    };
    format!("{what}; {hint}")
}

fn connect(peer: &str, fault: ConnectFault) -> String {
    match fault {
        ConnectFault::NoSuchHost => format!("the {peer}'s host name has no address; check how it is written"),
        ConnectFault::Refused => format!("nothing answers at the {peer}'s port; check host and port"),
        ConnectFault::Unreachable => format!("the {peer} can't be reached; is the network up?"),
        ConnectFault::TimedOut => format!("the {peer} did not answer in time; check host and port"),
        ConnectFault::Tls => {
            format!("the {peer} and this program could not agree on TLS; often the port is wrong")
        }
        ConnectFault::NoStartTls => format!("the {peer} does not offer STARTTLS; try `security = \"tls\"`"),
        ConnectFault::NotThisProtocol => {
            format!("what answers at the {peer}'s port is something else; check the port")
        }
        ConnectFault::Lost => format!("the connection to the {peer} was lost; try again"),
        ConnectFault::Certificate(fault) => format!("the {peer}'s certificate {}", certificate(fault)),
    }
}

fn certificate(fault: CertificateFault) -> &'static str {
    match fault {
        CertificateFault::Expired => "has expired; its owner has to renew it",
        CertificateFault::NotYetValid => "is not valid yet; check this machine's clock",
        CertificateFault::WrongName => "is for another host name; use the name that your provider gives",
        CertificateFault::UnknownIssuer => {
            "is signed by nobody that this machine trusts; for a server of your own, name its CA in `ca_file`"
        }
        CertificateFault::Revoked => "was revoked",
        CertificateFault::Unusable => "can't be used",
    }
}
