//! The table of defaults, cell by cell: provider, known or new, exposed or not, mode. What is asked, what the prompt says
//! and what goes out are seen on the way from the reading to the redeemed permit.

use super::*;

/// Each row: the provider, who receives it, exposed or not; then what happens under `always`, `new-recipients`, `never`.
/// Under `never` the recipient is on the allowlist.
const TABLE: [(Profile, Who, bool, [&str; 3]); 16] = {
    use Profile::{Fmsg, Graph, Hey, Imap};
    use Who::{Known, New};
    [
        (Imap, New, false, ["asks, plain", "asks, plain", "as is"]),
        (Imap, New, true, ["asks, plain, warns", "asks, plain, warns", "as is"]),
        (Imap, Known, false, ["asks, as is", "as is", "as is"]),
        (Imap, Known, true, ["asks, as is, warns", "as is", "as is"]),
        (Graph, New, false, ["asks, plain", "asks, plain", "as is"]),
        (Graph, New, true, ["asks, plain, warns", "asks, plain, warns", "as is"]),
        (Graph, Known, false, ["asks, as is", "as is", "as is"]),
        (Graph, Known, true, ["asks, as is, warns", "as is", "as is"]),
        (Fmsg, New, false, ["asks, plain", "asks, plain", "as is"]),
        (Fmsg, New, true, ["asks, plain, warns", "asks, plain, warns", "as is"]),
        (Fmsg, Known, false, ["asks, as is", "as is", "as is"]),
        (Fmsg, Known, true, ["asks, as is, warns", "as is", "as is"]),
        (Hey, New, false, ["asks, plain", "asks, plain", "as is"]),
        (Hey, New, true, ["refused", "refused", "as is"]),
        (Hey, Known, false, ["asks, as is", "as is", "as is"]),
        (Hey, Known, true, ["asks, plain, warns", "asks, plain, warns", "as is"]),
    ]
};

const MODES: [ConfirmMode; 3] = [ConfirmMode::Always, ConfirmMode::NewRecipients, ConfirmMode::Never];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    New,
    Known,
}

fn formatted() -> DraftFields {
    DraftFields { html: Some("<p>Tuesday <b>at</b> one?".into()), ..fields() }
}

fn config(profile: Profile, confirm: ConfirmMode) -> RulesConfig {
    let allow = if confirm == ConfirmMode::Never { vec!["example.net".into()] } else { Vec::new() };
    RulesConfig { confirm, allow, ..RulesConfig::of(profile) }
}

/// What happens to a formatted draft, from the reading to what goes out.
async fn happens(config: &RulesConfig, who: Who, exposed: bool) -> String {
    let scratch = Scratch::new(config);
    let source = if who == Who::New { OneDraft::of(formatted()) } else { OneDraft::to_known(formatted()) };
    if exposed {
        let call = CallScope::default();
        scratch.policy.expose(&call).await.map(drop).unwrap();
    }
    let (approval, asked, warned) = match scratch.policy.prepare(&source, "d1").await {
        Err(refusal) => return refused(refusal),
        Ok(Prepared::Waived(waiver)) => (Approval::Waived(*waiver), "", ""),
        Ok(Prepared::Asks) => match scratch.policy.draft(&source, "d1").read().await {
            Err(refusal) => return refused(refusal),
            Ok(snapshot) => {
                let prompt = snapshot.prompt();
                assert_eq!(prompt.contains("(new: never emailed before)"), who == Who::New, "{prompt}");
                assert_eq!(
                    prompt.contains("Only the plain text below goes out"),
                    PLAIN.is_within(snapshot.terms())
                );
                let warned = if prompt.starts_with("Caution: ") { ", warns" } else { "" };
                (Approval::Shown(snapshot), "asks, ", warned)
            }
        },
    };
    let (permit, _ticket) = scratch.policy.claim(approval).await.unwrap();
    let out = permit.redeem(&origin()).unwrap();
    let form = if out == formatted() { "as is" } else { "plain" };
    if form == "plain" {
        assert_eq!((out.text.as_deref(), out.html), (Some("Tuesday at one?"), None));
    }
    format!("{asked}{form}{warned}")
}

fn refused(refusal: Refusal) -> String {
    assert!(matches!(refusal, Refusal::NotTo(_)), "{refusal:?}");
    "refused".to_owned()
}

#[tokio::test]
async fn every_cell_is_as_the_table_says() {
    for (profile, who, exposed, outcomes) in TABLE {
        for (mode, expected) in MODES.into_iter().zip(outcomes) {
            let happened = happens(&config(profile, mode), who, exposed).await;
            assert_eq!(happened, expected, "{profile:?}, {who:?}, exposed: {exposed}, {mode}");
        }
    }
}

/// An owner may set each cell stricter or looser, and that cell alone changes.
#[tokio::test]
async fn every_cell_can_be_set_by_itself() {
    type Cell = fn(&mut Treatments) -> &mut Treatment;
    let cells: [(Cell, Who, bool); 4] = [
        (|t| &mut t.to_new, Who::New, false),
        (|t| &mut t.to_new_exposed, Who::New, true),
        (|t| &mut t.to_known, Who::Known, false),
        (|t| &mut t.to_known_exposed, Who::Known, true),
    ];
    for (treatment, word) in
        [(Treatment::AsIs, "as is"), (Treatment::PlainText, "plain"), (Treatment::Refused, "refused")]
    {
        for (cell, who, exposed) in cells {
            let mut set = config(Profile::Hey, ConfirmMode::Always);
            *cell(&mut set.treatments) = treatment;
            for (_, who_now, exposed_now) in cells {
                let mut expected =
                    happens(&config(Profile::Hey, ConfirmMode::Always), who_now, exposed_now).await;
                if (who, exposed) == (who_now, exposed_now) {
                    let warns = if exposed { ", warns" } else { "" };
                    expected =
                        if word == "refused" { word.to_owned() } else { format!("asks, {word}{warns}") };
                }
                let happened = happens(&set, who_now, exposed_now).await;
                assert_eq!(happened, expected, "{who:?} {exposed} {treatment}: {who_now:?} {exposed_now}");
            }
        }
    }
}

#[tokio::test]
async fn never_sends_to_the_allowlist_alone() {
    for profile in [Profile::Imap, Profile::Graph, Profile::Fmsg, Profile::Hey] {
        let scratch = Scratch::new(&config(profile, ConfirmMode::Never));
        for (addr_spec, refusal) in [
            ("friend@example.net", None),
            ("friend@example.net.evil.org", Some(Refusal::NotAllowed(crate::Field::To))),
            ("friend@sub.example.net", Some(Refusal::NotAllowed(crate::Field::To))),
        ] {
            let draft = DraftFields { to: vec![Address::bare(addr_spec)], ..named(addr_spec) };
            let prepared = scratch.policy.prepare(&OneDraft::to_known(draft), "d1").await;
            assert_eq!(prepared.err(), refusal, "{addr_spec}");
        }
        let without = RulesConfig { allow: Vec::new(), ..config(profile, ConfirmMode::Never) };
        let prepared = Scratch::new(&without).policy.prepare(&OneDraft::to_known(fields()), "d1").await;
        assert_eq!(prepared.err(), Some(Refusal::NeverNeedsAllow));
    }
}
