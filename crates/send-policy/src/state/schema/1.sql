-- What the send policy remembers, version 1. Times are seconds since the Unix epoch. No mail text.

-- Sign-ins, by the hash of their principal: when the state first saw them, which is the grant's time where there was
-- no login, and the last read that returned other people's mail (null where there was none).
CREATE TABLE principals (
    principal TEXT NOT NULL PRIMARY KEY,
    first_seen INTEGER NOT NULL,
    exposed_at INTEGER
) STRICT, WITHOUT ROWID;

-- Drafts whose send was begun. A claim lasts 24 hours and is never released.
CREATE TABLE claims (
    origin TEXT NOT NULL,
    claim_key TEXT NOT NULL,
    claimed_at INTEGER NOT NULL,
    PRIMARY KEY (origin, claim_key)
) STRICT, WITHOUT ROWID;

-- Sends: outcome 0 is unknown, 1 is accepted by the server. A row lasts 400 days; a definite refusal removes it.
CREATE TABLE sent (
    origin TEXT NOT NULL,
    claim_key TEXT NOT NULL,
    message_id TEXT NOT NULL DEFAULT '',
    sent_at INTEGER NOT NULL,
    outcome INTEGER NOT NULL DEFAULT 0 CHECK (outcome IN (0, 1)),
    PRIMARY KEY (origin, claim_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX sent_by_message_id ON sent (origin, message_id);

-- One row for each send begun, for the cap of a rolling 24 hours. Charges are never given back.
CREATE TABLE charges (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    principal TEXT NOT NULL,
    charged_at INTEGER NOT NULL
) STRICT;
CREATE INDEX charges_by_principal ON charges (principal, charged_at);

-- Drafts that this program wrote, by the id it handed out: the only drafts that it removes by itself. A draft that was
-- edited in another mail program has another id there. A row lasts 400 days.
CREATE TABLE own_drafts (
    origin TEXT NOT NULL,
    draft TEXT NOT NULL,
    written_at INTEGER NOT NULL,
    PRIMARY KEY (origin, draft)
) STRICT, WITHOUT ROWID;
