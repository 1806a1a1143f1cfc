//! The proxy stops where it is told, and what the real servers hold then is what they would hold in earnest.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use countersign_testkit::faults::{Action, Place, Protocol, Proxy};
use countersign_testkit::services::tls::Shown;
use countersign_testkit::services::{Put, mail};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};

use crate::smtp::submit;

const MESSAGE: &[u8] = b"Message-ID: <fault@kit.test>\r\nSubject: s\r\n\r\nText";

#[tokio::test]
async fn the_answer_to_data_is_held_after_the_server_has_the_message() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("held")?;
    let proxy = Proxy::plain(Protocol::Smtp, mail.smtp.plain)?;
    let rule = proxy.at(Place::BeforeReply(".".into()), 1, Action::Hold);
    let (at, address, password) = (proxy.address, user.address.clone(), user.password.clone());
    let client = std::thread::spawn(move || submit(at, &address, &password, &[&address], MESSAGE));
    proxy.reached(rule).await?;
    assert!(!client.is_finished());
    assert_eq!(user.wait_received(1)?.len(), 1, "the server took it");
    proxy.cut();
    assert!(client.join().unwrap().is_err(), "the client never learned it");
    let tally = proxy.tally();
    assert_eq!(
        (tally.connections, tally.count("MAIL FROM"), tally.count("."), tally.count("DATA")),
        (1, 1, 1, 1)
    );
    // EHLO, AUTH, MAIL, RCPT, DATA, message.
    assert_eq!(tally.round_trips, 6);
    Ok(())
}

#[tokio::test]
async fn what_is_held_before_a_command_dies_with_its_client() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("before")?;
    let proxy = Proxy::plain(Protocol::Smtp, mail.smtp.plain)?;
    let rule = proxy.at(Place::Before(".".into()), 1, Action::Hold);
    let script = format!(
        "import smtplib; s = smtplib.SMTP('127.0.0.1', {}); s.login({:?}, {:?}); \
         s.sendmail({:?}, [{:?}], b'Subject: x\\r\\n\\r\\nT')",
        proxy.address.port(),
        user.address,
        user.password,
        user.address,
        user.address
    );
    let mut command = std::process::Command::new("python3");
    let mut client = command.args(["-c", &script]).stderr(std::process::Stdio::null()).spawn()?;
    proxy.reached(rule).await?;
    client.kill()?;
    client.wait()?;
    // The same client sends again, through: had the first gone out, there would be two.
    proxy.release();
    let answer = submit(proxy.address, &user.address, &user.password, &[&user.address], MESSAGE)?;
    assert!(answer.starts_with("250"), "{answer}");
    assert_eq!(user.wait_received(1)?.len(), 1);
    assert_eq!(mail.wait_deliveries(&user.address, 1)?.len(), 1);
    Ok(())
}

#[tokio::test]
async fn commands_are_refused_cut_and_swallowed() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("refuse")?;
    let send = |at| submit(at, &user.address, &user.password, &[&user.address], MESSAGE);
    let proxy = Proxy::plain(Protocol::Smtp, mail.smtp.plain)?;
    proxy.at(Place::Before("MAIL FROM".into()), 1, Action::Answer("451 4.3.0 later".into()));
    assert_eq!(send(proxy.address)?, "451 4.3.0 later");
    let cut = proxy.at(Place::Before("DATA".into()), 1, Action::Cut);
    assert!(send(proxy.address).is_err() && proxy.has_acted(cut));
    proxy.at(Place::BeforeReply(".".into()), 1, Action::Answer("554 5.0.0 so it says".into()));
    assert_eq!(send(proxy.address)?, "554 5.0.0 so it says");
    assert_eq!(user.wait_received(1)?.len(), 1);
    Ok(())
}

#[tokio::test]
async fn imap_appends_are_stopped_before_and_after_and_literals_stall() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("imap")?;
    user.put("INBOX", &[b"Subject: x\r\n\r\n", vec![b'y'; 3000].as_slice()].concat(), &Put::default())?;
    let proxy = Proxy::plain(Protocol::Imap, mail.imap.plain_starttls)?;
    let mut imap = Imap::open(&proxy)?;
    imap.ask(&format!("a1 LOGIN {} {}\r\n", user.address, user.password))?;
    let append = "APPEND Drafts {14+}\r\nSubject: d\r\n\r\n\r\n";

    let before = proxy.at(Place::Before("APPEND".into()), 1, Action::Answer("{tag} NO no room".into()));
    assert_eq!(imap.ask(&format!("a2 {append}"))?, "a2 NO no room");
    assert!(proxy.has_acted(before));
    assert_eq!(user.count("Drafts")?, 0);

    let after = proxy.at(Place::BeforeReply("APPEND".into()), 1, Action::Hold);
    imap.tell(&format!("a3 {append}"))?;
    proxy.reached(after).await?;
    assert_eq!(user.count("Drafts")?, 1, "the server has it, the client waits");
    proxy.release();
    assert!(imap.answer("a3")?.starts_with("a3 OK"));

    imap.ask("a4 SELECT INBOX\r\n")?;
    proxy.reset();
    let stall = proxy.at(Place::InLiteral("UID FETCH".into(), 1000), 1, Action::Hold);
    imap.tell("a5 UID FETCH 1:* BODY.PEEK[]\r\n")?;
    proxy.reached(stall).await?;
    let mut first = vec![0; 1000];
    let mut line = String::new();
    imap.reader.read_line(&mut line)?;
    imap.reader.read_exact(&mut first)?;
    imap.reader.get_ref().set_read_timeout(Some(Duration::from_millis(100)))?;
    assert!(imap.reader.read(&mut [0]).is_err(), "no more than that comes");
    imap.reader.get_ref().set_read_timeout(Some(Duration::from_secs(20)))?;
    proxy.release();
    assert!(imap.answer("a5")?.starts_with("a5 OK"));
    let tally = proxy.tally();
    assert_eq!((tally.round_trips, tally.commands), (1, vec!["UID FETCH 1:* BODY.PEEK[]".to_owned()]));
    assert!(tally.from_server > 3000 && tally.from_client < 100);
    Ok(())
}

#[test]
fn certificates_are_what_they_claim_to_be() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let expected = [
        (Shown::Good, None),
        (Shown::Expired, Some("expired")),
        (Shown::WrongHost, Some("not valid for")),
        (Shown::UnknownAuthority, Some("UnknownIssuer")),
    ];
    for (shown, words) in expected {
        let proxy = Proxy::tls(Protocol::Imap, mail.imap.plain_starttls, &mail.authority, shown)?;
        let got = greeting_by_tls(proxy.address, mail.authority.ca_pem());
        match (got, words) {
            (Ok(line), None) => assert!(line.starts_with("* OK"), "{line}"),
            (Err(error), Some(words)) => {
                assert!(format!("{error:#}").contains(words), "{shown:?}: {error:#}");
            }
            (got, _) => panic!("{shown:?}: {got:?}"),
        }
    }
    for direct in [mail.imap.tls, mail.smtp.smtps] {
        assert!(greeting_by_tls(direct, mail.authority.ca_pem())?.contains("ready"));
    }
    Ok(())
}

fn greeting_by_tls(at: std::net::SocketAddr, ca: &str) -> Result<String> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(
        CertificateDer::from_pem_slice(ca.as_bytes()).map_err(|problem| anyhow::anyhow!("{problem:?}"))?,
    )?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost")?;
    let tls = rustls::ClientConnection::new(Arc::new(config), name)?;
    let mut line = String::new();
    BufReader::new(rustls::StreamOwned::new(tls, TcpStream::connect(at)?)).read_line(&mut line)?;
    Ok(line)
}

/// The least IMAP client.
struct Imap {
    reader: BufReader<TcpStream>,
}

impl Imap {
    fn open(proxy: &Proxy) -> Result<Self> {
        let stream = TcpStream::connect(proxy.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        let mut reader = BufReader::new(stream);
        reader.read_line(&mut String::new())?;
        Ok(Self { reader })
    }

    fn tell(&mut self, command: &str) -> Result<()> {
        Ok(self.reader.get_mut().write_all(command.as_bytes())?)
    }

    fn ask(&mut self, command: &str) -> Result<String> {
        self.tell(command)?;
        self.answer(command.split(' ').next().unwrap_or_default())
    }

    fn answer(&mut self, tag: &str) -> Result<String> {
        loop {
            let mut line = Vec::new();
            anyhow::ensure!(self.reader.read_until(b'\n', &mut line)? > 0, "the server hung up");
            let line = String::from_utf8_lossy(&line).trim_end().to_owned();
            if line.starts_with(tag) {
                return Ok(line);
            }
        }
    }
}
