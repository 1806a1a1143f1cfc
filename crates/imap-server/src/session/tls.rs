//! TLS: the system's certificate authorities and perhaps one file more, loaded at the first connection. Checks can't be
//! switched off; what fails is told apart so that the owner learns what to do.

use std::{
    io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use countersign_core::mailbox::{CertificateFault, ConnectFault, MailboxError};
use rustls::{
    CertificateError, ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::stream::Stream;

/// Makes TLS connections for one account.
pub(crate) struct Tls {
    ca_file: Option<PathBuf>,
    /// Reading the system's authorities costs milliseconds, so it waits for the first connection.
    config: Mutex<Option<Arc<ClientConfig>>>,
}

impl Tls {
    /// TLS that also trusts the authorities in this PEM file.
    pub(crate) fn new(ca_file: Option<PathBuf>) -> Self {
        Self { ca_file, config: Mutex::new(None) }
    }

    fn config(&self) -> Result<Arc<ClientConfig>, MailboxError> {
        let mut slot = self.config.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(config) = &*slot {
            return Ok(Arc::clone(config));
        }
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if let Some(path) = &self.ca_file {
            let unusable = MailboxError::Configuration("ca_file");
            let pem = std::fs::read(path).map_err(|_| unusable.clone())?;
            let before = roots.len();
            for certificate in CertificateDer::pem_slice_iter(&pem) {
                roots.add(certificate.map_err(|_| unusable.clone())?).map_err(|_| unusable.clone())?;
            }
            if roots.len() == before {
                return Err(unusable);
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|_| MailboxError::Configuration("tls"))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let config = Arc::new(config);
        *slot = Some(Arc::clone(&config));
        Ok(config)
    }

    /// The TLS handshake with a host, named or by address. The inner error is the connection's.
    pub(crate) async fn handshake(
        &self,
        tcp: TcpStream,
        host: &str,
    ) -> Result<Result<Stream, ConnectFault>, MailboxError> {
        let host = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
        let name = ServerName::try_from(host.to_owned()).map_err(|_| MailboxError::Configuration("host"))?;
        let connected = TlsConnector::from(self.config()?).connect(name, tcp).await;
        Ok(connected.map(|tls| Stream::Tls(Box::new(tls))).map_err(|error| fault(&error)))
    }
}

/// What went wrong, as far as the owner can do something about it.
#[expect(clippy::wildcard_enum_match_arm, reason = "foreign, non-exhaustive enumerations")]
fn fault(error: &io::Error) -> ConnectFault {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(rustls::Error::InvalidCertificate(certificate)) => {
            ConnectFault::Certificate(certificate_fault(certificate))
        }
        Some(_) => ConnectFault::Tls,
        None => match error.kind() {
            io::ErrorKind::TimedOut => ConnectFault::TimedOut,
            // A server without TLS on this port often hangs up at the first bytes.
            io::ErrorKind::UnexpectedEof => ConnectFault::Tls,
            _ => ConnectFault::Lost,
        },
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a foreign, non-exhaustive enumeration")]
fn certificate_fault(error: &CertificateError) -> CertificateFault {
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => CertificateFault::Expired,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            CertificateFault::NotYetValid
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            CertificateFault::WrongName
        }
        // An issuer of a known name with another key is just as unknown.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => CertificateFault::UnknownIssuer,
        CertificateError::Revoked => CertificateFault::Revoked,
        _ => CertificateFault::Unusable,
    }
}
