//! A certificate authority for one test run, and the certificates a server may show: a good one, and those a
//! client must refuse (RFC 5280 §6.1, RFC 6125 §6).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The certificate a server shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Valid, for `localhost`, `mail.test` and 127.0.0.1.
    Good,
    /// Right host, right authority, ended in 2021.
    Expired,
    /// Right authority, but for `elsewhere.test`.
    WrongHost,
    /// Right host, by an authority that nobody trusts.
    UnknownAuthority,
}

/// A certificate authority that lives as long as its servers.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    ca_pem: String,
}

/// A certificate chain with its key, as servers read them.
pub struct Pair {
    /// The leaf and its authority, PEM.
    pub chain_pem: String,
    /// The private key, PEM.
    pub key_pem: String,
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

impl Authority {
    /// Makes an authority with a fresh key.
    ///
    /// # Errors
    /// The key or the certificate could not be made.
    pub fn new() -> Result<Self> {
        Self::named("Countersign test authority")
    }

    fn named(name: &str) -> Result<Self> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(Vec::new())?;
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let ca_pem = params.self_signed(&key)?.pem();
        Ok(Self { issuer: Issuer::new(params, key), ca_pem })
    }

    /// The authority's certificate, for a client's trust.
    pub fn ca_pem(&self) -> &str {
        &self.ca_pem
    }

    /// Issues a certificate of the given kind.
    ///
    /// # Errors
    /// The key or the certificate could not be made.
    pub fn issue(&self, shown: Shown) -> Result<Pair> {
        let stranger;
        let by = if shown == Shown::UnknownAuthority {
            stranger = Self::named("Countersign unknown authority")?;
            &stranger
        } else {
            self
        };
        let names = match shown {
            Shown::WrongHost => vec!["elsewhere.test".to_owned()],
            Shown::Good | Shown::Expired | Shown::UnknownAuthority => {
                vec!["localhost".to_owned(), "mail.test".to_owned(), "127.0.0.1".to_owned()]
            }
        };
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(names)?;
        params.distinguished_name.push(DnType::CommonName, "Countersign test server");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        if shown == Shown::Expired {
            params.not_before = date_time_ymd(2020, 1, 1);
            params.not_after = date_time_ymd(2021, 1, 1);
        }
        let leaf = params.signed_by(&key, &by.issuer)?;
        Ok(Pair {
            chain_pem: format!("{}{}", leaf.pem(), by.ca_pem),
            key_pem: key.serialize_pem(),
            chain: vec![leaf.der().clone()],
            key: PrivateKeyDer::try_from(key.serialize_der()).map_err(anyhow::Error::msg)?,
        })
    }

    /// Writes `ca.pem`, `chain.pem` and `key.pem` of a good certificate into a directory.
    pub(crate) fn write(&self, dir: &Path) -> Result<PathBuf> {
        fs::create_dir_all(dir)?;
        let pair = self.issue(Shown::Good)?;
        let ca = dir.join("ca.pem");
        fs::write(&ca, &self.ca_pem)?;
        fs::write(dir.join("chain.pem"), &pair.chain_pem)?;
        fs::write(dir.join("key.pem"), &pair.key_pem)?;
        Ok(ca)
    }
}

impl Pair {
    /// The configuration of a TLS listener that shows this certificate.
    ///
    /// # Errors
    /// The key does not fit the certificate.
    pub fn server_config(&self) -> Result<Arc<ServerConfig>> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(self.chain.clone(), self.key.clone_key())
            .context("the test certificate")?;
        Ok(Arc::new(config))
    }
}
