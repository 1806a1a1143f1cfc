//! A second implementation of token and canonical form, `tests/interop/confirm_token.py`, was written from the
//! specification alone. Both make the same of what either invents, byte for byte, and each takes the other's tokens.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use countersign_confirm::{
    Key, Secret, Spent,
    token::{Claims, Expected, TokenError, verify},
};
use proptest::{
    prelude::*,
    strategy::ValueTree as _,
    test_runner::{RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Value, json};

use crate::payloads::{described, payload, read, text};

const COUNT: u64 = 1_000;

struct Python {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Python {
    fn start() -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/interop/confirm_token.py");
        let mut python = Command::new("python3");
        python.args(["-B", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = python.spawn().expect("python3 is needed for this test");
        let (stdin, stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, stdin, stdout }
    }

    fn tell(&mut self, command: &Value) {
        writeln!(self.stdin, "{command}").unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn asks(&mut self, command: &Value) -> Value {
        self.tell(command);
        self.hear()
    }

    fn ends(self) {
        let Self { mut child, stdin, .. } = self;
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}

fn key(secret: &str) -> Key {
    Key::from_secret(&Secret::new(secret))
}

fn json_of(claims: &Claims) -> Value {
    let Claims { tool, account, target, revision, hash, expires, nonce } = claims;
    json!({"t": tool, "a": account, "g": target, "r": revision, "h": hash, "exp": expires, "n": nonce})
}

fn claims_of(json: &Value) -> Claims {
    serde_json::from_value(json.clone()).unwrap()
}

fn expected(claims: &Claims) -> Expected<'_> {
    Expected {
        tool: &claims.tool,
        account: claims.account.as_deref(),
        target: &claims.target,
        revision: claims.revision.as_deref(),
        hash: &claims.hash,
    }
}

/// Our verdict in the other's words.
fn verdict(key: &Key, spent: &Spent, token: &str, expected: &Expected<'_>, now: u64) -> &'static str {
    match verify(key, spent, token, expected, now) {
        Ok(()) => "accepted",
        Err(TokenError::Invalid) => "TOKEN_INVALID",
        Err(TokenError::Reused) => "TOKEN_REUSED",
        Err(TokenError::Expired) => "TOKEN_EXPIRED",
        Err(TokenError::RevisionChanged) => "revision-changed",
        Err(TokenError::PayloadChanged) => "payload-changed",
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn what_we_make_the_other_makes_and_takes() {
    let mut python = Python::start();
    let mut runner = TestRunner::new_with_rng(
        ProptestConfig::default(),
        TestRng::from_seed(RngAlgorithm::ChaCha, &[11; 32]),
    );
    let call = (
        (payload(), text(), text(), text()),
        prop::option::of(text()),
        prop::option::of(text()),
        0..1_u64 << 53,
        "[A-Za-z0-9_-]{22}",
        (0..9_usize, 0..400_usize),
    );
    let mut accepted = 0;
    for _ in 0..COUNT {
        let tree = call.new_tree(&mut runner).unwrap();
        let ((payload, secret, tool, target), account, revision, expires, nonce, (change, at)) =
            tree.current();
        let hash = payload.hash();
        let claims = Claims { tool, account, target, revision, hash, expires, nonce };
        let token = claims.sign(&key(&secret));
        let made = python.asks(&json!({
            "do": "make", "payload": described(&payload), "claims": json_of(&claims), "secret": secret,
        }));
        assert_eq!(made["canonical"], payload.canonical());
        assert_eq!(made["hash"], claims.hash);
        assert_eq!(made["token"], token);

        // And judges it as we do, unchanged and changed in every way that there is a verdict for.
        let (mut shown, mut now, mut spent, mut wanted) = (token, expires, Vec::new(), claims.clone());
        match change {
            0 => drop(shown.remove(at % shown.len())),
            1 => shown.insert(at % shown.len(), 'A'),
            2 => now = expires + 1,
            3 => spent.push(claims.nonce.clone()),
            4 => wanted.tool.push('x'),
            5 => wanted.account = if wanted.account.is_some() { None } else { Some(String::new()) },
            6 => wanted.revision = if wanted.revision.is_some() { None } else { Some(String::new()) },
            7 => wanted.hash.push('x'),
            _ => {}
        }
        let theirs = python.asks(&json!({
            "do": "verify", "token": shown, "expected": json_of(&wanted), "now": now, "secret": secret, "spent": spent,
        }));
        let store = Spent::memory();
        if change == 3 {
            verify(&key(&secret), &store, &shown, &expected(&claims), now).unwrap();
        }
        let ours = verdict(&key(&secret), &store, &shown, &expected(&wanted), now);
        assert_eq!(theirs["verdict"], ours, "{change} {shown}");
        accepted += usize::from(ours == "accepted");
    }
    assert!(accepted > 50, "{accepted} were left as they were");
    python.ends();
}

#[test]
fn what_the_other_makes_we_make_and_take() {
    let mut python = Python::start();
    python.tell(&json!({"do": "invent", "seed": 20_261_201, "count": COUNT}));
    for _ in 0..COUNT {
        let made = python.hear();
        let (payload, claims) = (read(&made["payload"]), claims_of(&made["claims"]));
        assert_eq!(payload.canonical(), made["canonical"]);
        assert_eq!(payload.hash(), made["hash"]);
        assert_eq!(claims.hash, made["hash"]);
        let key = key(made["secret"].as_str().unwrap());
        let token = made["token"].as_str().unwrap();
        assert_eq!(claims.sign(&key), token);
        let spent = Spent::memory();
        let mut other = expected(&claims);
        other.hash = "other";
        let judge = |expected: &Expected<'_>, now| verdict(&key, &spent, token, expected, now);
        assert_eq!(judge(&other, claims.expires), "payload-changed");
        assert_eq!(judge(&expected(&claims), claims.expires + 1), "TOKEN_EXPIRED");
        assert_eq!(judge(&expected(&claims), claims.expires), "accepted");
        assert_eq!(judge(&expected(&claims), claims.expires), "TOKEN_REUSED");
    }
    python.ends();
}

#[test]
fn the_other_makes_the_vector_of_the_specification() {
    let mut python = Python::start();
    let payload =
        countersign_confirm::Payload::from(&json!({"tags": ["a", "b"], "id": "item-42", "note": "bye"}));
    let claims = json!({
        "t": "thing_delete", "a": "me@example.com", "g": "item-42", "r": "etag-7", "h": payload.hash(),
        "exp": 1_800_000_600_000_u64, "n": "AAECAwQFBgcICQoLDA0ODw",
    });
    let secret = "correct horse battery staple";
    let made = python
        .asks(&json!({"do": "make", "payload": described(&payload), "claims": claims, "secret": secret}));
    let vector =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/token/vector")).unwrap();
    assert_eq!(made["token"], vector);
    assert_eq!(claims_of(&claims).sign(&key(secret)), vector);
    python.ends();
}
