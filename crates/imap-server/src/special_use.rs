//! What a folder is for: SPECIAL-USE (RFC 6154) where the server offers it, well-known names where it offers none. A name
//! alone never makes a folder Sent or Drafts on a server that says itself which those are.

use countersign_core::model::SpecialUse;

/// The use that a LIST attribute names.
pub(crate) fn of_attribute(attribute: &str) -> Option<SpecialUse> {
    let attributes = [
        ("\\All", SpecialUse::All),
        ("\\AllMail", SpecialUse::All),
        ("\\Archive", SpecialUse::Archive),
        ("\\Drafts", SpecialUse::Drafts),
        ("\\Flagged", SpecialUse::Flagged),
        ("\\Junk", SpecialUse::Junk),
        ("\\Spam", SpecialUse::Junk),
        ("\\Sent", SpecialUse::Sent),
        ("\\Trash", SpecialUse::Trash),
    ];
    attributes.into_iter().find_map(|(name, found)| name.eq_ignore_ascii_case(attribute).then_some(found))
}

/// Names by which clients and servers call these folders, the likelier first.
const WELL_KNOWN: [(SpecialUse, &[&str]); 5] = [
    (
        SpecialUse::Drafts,
        &[
            "drafts",
            "draft",
            "entwürfe",
            "brouillons",
            "borradores",
            "koncepty",
            "rozepsané",
            "bozze",
            "kopie robocze",
        ],
    ),
    (
        SpecialUse::Sent,
        &[
            "sent",
            "sent items",
            "sent messages",
            "sent mail",
            "gesendet",
            "gesendete elemente",
            "gesendete objekte",
            "envoyés",
            "éléments envoyés",
            "messages envoyés",
            "enviados",
            "elementos enviados",
            "odeslané",
            "odeslaná pošta",
            "odoslané",
            "wysłane",
            "posta inviata",
        ],
    ),
    (
        SpecialUse::Trash,
        &[
            "trash",
            "deleted items",
            "deleted messages",
            "bin",
            "papierkorb",
            "gelöschte elemente",
            "gelöschte objekte",
            "corbeille",
            "éléments supprimés",
            "papelera",
            "elementos eliminados",
            "koš",
            "odstraněná pošta",
            "kôš",
            "kosz",
            "cestino",
        ],
    ),
    (
        SpecialUse::Junk,
        &[
            "junk",
            "spam",
            "junk e-mail",
            "junk email",
            "junk mail",
            "bulk mail",
            "junk-e-mail",
            "spamverdacht",
            "courrier indésirable",
            "indésirables",
            "correo no deseado",
            "nevyžádaná pošta",
        ],
    ),
    (SpecialUse::Archive, &["archive", "archives", "archiv", "archivo", "archív", "archiwum", "archivio"]),
];

/// The uses of folders by their names, for a server that offers no SPECIAL-USE: of each use the one folder with the
/// likeliest name, at the top or right below INBOX. Each name comes as its levels.
pub(crate) fn by_names(folders: &[Vec<String>]) -> Vec<Option<SpecialUse>> {
    let mut uses = vec![None; folders.len()];
    for (special_use, names) in WELL_KNOWN {
        let found = names.iter().find_map(|name| {
            folders.iter().position(|levels| match levels.as_slice() {
                [only] => only.to_lowercase() == *name,
                [top, below] => top.eq_ignore_ascii_case("INBOX") && below.to_lowercase() == *name,
                _ => false,
            })
        });
        if let Some(slot) = found.and_then(|at| uses.get_mut(at)) {
            *slot = Some(special_use);
        }
    }
    uses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_name_wins_and_depth_matters() {
        let levels = |name: &str| name.split('/').map(str::to_owned).collect::<Vec<_>>();
        let names = ["INBOX", "Sent Items", "sent", "INBOX/Entwürfe", "Projects/Trash", "Koš"];
        let found = by_names(&names.map(levels));
        assert_eq!(
            found,
            [None, None, Some(SpecialUse::Sent), Some(SpecialUse::Drafts), None, Some(SpecialUse::Trash)]
        );
    }
}
