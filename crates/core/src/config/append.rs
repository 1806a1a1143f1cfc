//! What `login` adds to the configuration file: one table at its end. What stands there already, comments included, is
//! not touched.

use toml::Value;

use crate::account::AccountName;

/// The file's text with a table for the account at its end. Settings are given by their dotted names; their order stays.
pub(crate) fn with_account(before: &str, name: &AccountName, settings: &[(String, String)]) -> String {
    let apart = match before {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    // A name may hold a dot, which would separate tables if it weren't quoted.
    let key = if name.as_str().contains('.') { quoted(name.as_str()) } else { name.to_string() };
    let mut text = format!("{before}{apart}[accounts.{key}]\n");
    for (setting, written) in settings {
        text.extend([setting, " = ", &value(setting, written), "\n"]);
    }
    text
}

/// A setting's value as TOML. Only ports are numbers, and only these two words are flags: a user name may be all digits.
fn value(setting: &str, text: &str) -> String {
    let is_port = setting.rsplit('.').next() == Some("port");
    match (text, text.parse::<u16>()) {
        (_, Ok(port)) if is_port => port.to_string(),
        ("true" | "false", _) => text.to_owned(),
        _ => quoted(text),
    }
}

fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_table_goes_to_the_end_and_everything_else_stays() {
        let before = "# mine\nread_only = true # for now";
        let name = AccountName::parse("a.b").unwrap();
        let after = with_account(
            before,
            &name,
            &settings(&[
                ("address", "jan@example.com"),
                ("user", "123"),
                ("imap.port", "1143"),
                ("file_sent", "true"),
            ]),
        );
        assert_eq!(
            after,
            "# mine\nread_only = true # for now\n\n[accounts.\"a.b\"]\naddress = \"jan@example.com\"\nuser = \"123\"\n\
             imap.port = 1143\nfile_sent = true\n"
        );
    }

    #[test]
    fn values_cannot_leave_their_line() {
        let name = AccountName::parse("work").unwrap();
        for hostile in ["a\"\nread_only = true\n#", "'''\n[accounts.x]\n'''", "\u{7f}\\\"", "x\r\ny"] {
            let text = with_account("", &name, &settings(&[("address", hostile)]));
            let table: toml::Table = text.parse().unwrap();
            let account = table.get("accounts").unwrap().get("work").unwrap();
            assert_eq!(account.get("address").unwrap().as_str(), Some(hostile));
            assert_eq!((table.len(), account.as_table().unwrap().len()), (1, 1));
        }
    }
}
