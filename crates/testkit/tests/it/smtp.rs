//! The least SMTP client that can submit a message, written here so that the servers are not tested with the
//! client they will be used to test.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};

use anyhow::{Context as _, Result, ensure};
use base64::Engine as _;

/// Submits a message and returns the server's last answer.
pub(crate) fn submit(
    at: SocketAddr,
    user: &str,
    password: &str,
    recipients: &[&str],
    message: &[u8],
) -> Result<String> {
    let stream = TcpStream::connect(at)?;
    stream.set_read_timeout(Some(std::time::Duration::from_secs(20)))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    let mut reply = || -> Result<String> {
        loop {
            let mut line = String::new();
            ensure!(reader.read_line(&mut line)? > 0, "the server hung up");
            if line.as_bytes().get(3) != Some(&b'-') {
                return Ok(line.trim_end().to_owned());
            }
        }
    };
    reply()?;
    let secret = base64::engine::general_purpose::STANDARD.encode(format!("\0{user}\0{password}"));
    let mut commands =
        vec!["EHLO test".to_owned(), format!("AUTH PLAIN {secret}"), format!("MAIL FROM:<{user}>")];
    commands.extend(recipients.iter().map(|to| format!("RCPT TO:<{to}>")));
    commands.push("DATA".to_owned());
    for command in commands {
        writer.write_all(format!("{command}\r\n").as_bytes())?;
        let line = reply()?;
        let code = line.bytes().next().context("an empty reply")?;
        if !matches!(code, b'2' | b'3') {
            return Ok(line);
        }
    }
    writer.write_all(message)?;
    writer.write_all(b"\r\n.\r\n")?;
    reply()
}
