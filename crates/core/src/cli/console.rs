//! The terminal, or what stands in its place: where a person is asked and told. Everything that a command prints goes
//! through here, so that tests can read it and nothing else writes to stdout.

use std::io::{self, BufRead, IsTerminal as _, Write};

use crate::config::{COLUMNS, Environment, NO_COLOR, Secret};

/// The widest that text is set, also on wider terminals.
const WIDEST: usize = 88;

/// Where nobody says how wide the terminal is.
const USUAL: usize = 80;

/// The narrowest.
const NARROWEST: usize = 24;

/// Where a command reads and writes.
pub(super) struct Console {
    input: Box<dyn BufRead>,
    output: Box<dyn Write>,
    /// Whether a person is there to answer.
    pub(super) interactive: bool,
    colour: bool,
    width: usize,
}

impl Console {
    /// That of this process.
    pub(super) fn of_process(environment: &Environment) -> Self {
        let columns = environment.text(&COLUMNS).and_then(|columns| columns.trim().parse::<usize>().ok());
        let (stdin, stdout) = (io::stdin(), io::stdout());
        let (asks, shows) = (stdin.is_terminal(), stdout.is_terminal());
        Self {
            input: Box::new(io::BufReader::new(stdin)),
            output: Box::new(stdout),
            interactive: asks && shows,
            colour: shows && environment.text(&NO_COLOR).is_none(),
            width: columns.unwrap_or(USUAL).clamp(NARROWEST, WIDEST),
        }
    }

    /// One that reads and writes memory.
    #[cfg(test)]
    pub(super) fn of_memory(input: &str, output: impl Write + 'static, interactive: bool) -> Self {
        Self {
            input: Box::new(io::Cursor::new(input.to_owned())),
            output: Box::new(output),
            interactive,
            colour: false,
            width: USUAL,
        }
    }

    /// Whether colours are shown.
    pub(super) fn colour(&self) -> bool {
        self.colour
    }

    /// How many columns text may take.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// A line.
    pub(super) fn say(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.output, "{line}")
    }

    /// Bytes as they are.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.write_all(bytes)?;
        self.output.flush()
    }

    /// Asks for a line; Enter takes what is proposed. The end of the input is an error: nobody answered.
    pub(super) fn ask(&mut self, label: &str, proposed: Option<&str>) -> io::Result<String> {
        loop {
            match proposed {
                Some(proposed) => write!(self.output, "{label} [{proposed}]: ")?,
                None => write!(self.output, "{label}: ")?,
            }
            self.output.flush()?;
            let line = self.line()?.ok_or(io::ErrorKind::UnexpectedEof)?;
            match (line.trim(), proposed) {
                ("", Some(proposed)) => return Ok(proposed.to_owned()),
                ("", None) => {}
                (answer, _) => return Ok(answer.to_owned()),
            }
        }
    }

    /// Asks for a yes. Anything else, Enter and the end of the input included, is a no.
    pub(super) fn agrees(&mut self, question: &str) -> io::Result<bool> {
        write!(self.output, "{question} [y/N] ")?;
        self.output.flush()?;
        let answer = self.line()?;
        if answer.is_none() {
            writeln!(self.output)?;
        }
        Ok(answer.is_some_and(|answer| ["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str())))
    }

    /// A secret: from the terminal without an echo, else the first line of the input.
    pub(super) fn secret(&mut self, label: &str) -> io::Result<Secret> {
        let secret = if self.interactive {
            rpassword::prompt_password(format!("{label}: "))?
        } else {
            self.line()?.ok_or(io::ErrorKind::UnexpectedEof)?
        };
        let secret = Secret::new(secret.trim_end_matches(['\r', '\n']).to_owned());
        if secret.expose().is_empty() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(secret) }
    }

    fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = String::new();
        Ok((self.input.read_line(&mut line)? > 0).then_some(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_is_a_yes() {
        for (input, agreed) in
            [("y\n", true), (" YES \n", true), ("\n", false), ("", false), ("yo\n", false), ("n\n", false)]
        {
            let mut console = Console::of_memory(input, io::sink(), true);
            assert_eq!(console.agrees("Send?").unwrap(), agreed, "{input:?}");
        }
    }

    #[test]
    fn enter_takes_what_is_proposed_and_the_end_is_no_answer() {
        let mut console = Console::of_memory("\n\nimap\n", io::sink(), true);
        assert_eq!(console.ask("Server", Some("imap.example.com")).unwrap(), "imap.example.com");
        assert_eq!(console.ask("Server", None).unwrap(), "imap");
        assert!(console.ask("Server", None).is_err());
    }

    #[test]
    fn a_secret_is_the_first_line_and_not_empty() {
        let mut console = Console::of_memory("hunter2 \r\nmore\n", io::sink(), false);
        assert_eq!(console.secret("Password").unwrap().expose(), "hunter2 ");
        assert!(Console::of_memory("\n", io::sink(), false).secret("Password").is_err());
        assert!(Console::of_memory("", io::sink(), false).secret("Password").is_err());
    }
}
