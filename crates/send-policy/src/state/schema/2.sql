-- Version 2: who is known, and which new addresses were written to. Addresses in comparable form, no other mail text.

-- Addresses that a sign-in knows: found in Sent from before the sign-in was made, and the first send to it that the
-- person confirmed here. Either may be null, not both. Found ones stay; a negative answer is not recorded.
CREATE TABLE known (
    principal TEXT NOT NULL,
    address TEXT NOT NULL,
    found_at INTEGER,
    confirmed_at INTEGER,
    PRIMARY KEY (principal, address),
    CHECK (found_at IS NOT NULL OR confirmed_at IS NOT NULL)
) STRICT, WITHOUT ROWID;

-- Addresses that were new when they were written to, with the last such send, for the cap of a rolling 24 hours.
CREATE TABLE new_addresses (
    principal TEXT NOT NULL,
    address TEXT NOT NULL,
    charged_at INTEGER NOT NULL,
    PRIMARY KEY (principal, address)
) STRICT, WITHOUT ROWID;
