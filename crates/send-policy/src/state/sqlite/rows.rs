//! What is read and written within a transaction.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{OptionalExtension, Transaction, named_params};

use crate::{
    permit::{ClaimTicket, SendSettled},
    refusal::Refusal,
    rules::{CLAIM_TERM, HOUR, SENDS_WINDOW, SENT_TERM},
    state::{Acquaintance, Claiming, Entry, Holder, Ledger, SentOutcome, Standing},
};

/// How `sent.outcome` is written.
const OUTCOME_UNKNOWN: i64 = 0;
const OUTCOME_ACCEPTED: i64 = 1;

/// Reads all that the rules ask about one draft.
pub(super) fn read_ledger(tx: &Transaction<'_>, entry: &Entry, now: i64) -> rusqlite::Result<Ledger> {
    let Entry { origin, principal, claim_key, message_id, addresses } = entry;
    let sql = "SELECT claimed_at FROM claims WHERE origin = :origin AND claim_key = :key";
    let params = named_params! { ":origin": origin, ":key": claim_key };
    let claimed_at = tx.query_row(sql, params, |row| row.get(0)).optional()?;
    // The same message under another draft id is the same message.
    let sql = "SELECT sent_at, outcome FROM sent
               WHERE origin = :origin AND (claim_key = :key OR (:message_id <> '' AND message_id = :message_id))
               ORDER BY sent_at DESC LIMIT 1";
    let params = named_params! { ":origin": origin, ":key": claim_key, ":message_id": message_id };
    let sent = tx.query_row(sql, params, |row| Ok((row.get(0)?, outcome(row.get(1)?)))).optional()?;
    let sql = "SELECT exposed_at FROM principals WHERE principal = :principal";
    let exposed_at =
        tx.query_row(sql, named_params! { ":principal": principal }, |row| row.get(0)).optional()?.flatten();
    let mut ledger = Ledger {
        claimed_at,
        sent,
        exposed_at,
        sends: charged(tx, principal, now, SENDS_WINDOW)?,
        sends_in_hour: charged(tx, principal, now, HOUR)?,
        last_charge: last_charge(tx, principal)?,
        new_addresses: count_new(tx, principal, now)?,
        new_written_to: BTreeSet::new(),
        acquaintances: BTreeMap::new(),
    };
    for address in addresses {
        if is_counted_new(tx, principal, address, now)? {
            ledger.new_written_to.insert(address.clone());
        }
        if let Some(acquaintance) = acquaintance(tx, principal, address)? {
            ledger.acquaintances.insert(address.clone(), acquaintance);
        }
    }
    Ok(ledger)
}

/// When a send was last charged to a sign-in.
fn last_charge(tx: &Transaction<'_>, principal: &str) -> rusqlite::Result<Option<i64>> {
    let sql = "SELECT max(charged_at) FROM charges WHERE principal = :principal";
    tx.query_row(sql, named_params! { ":principal": principal }, |row| row.get(0))
}

/// How many new addresses are charged to a sign-in in the rolling 24 hours, those in the future included.
fn count_new(tx: &Transaction<'_>, principal: &str, now: i64) -> rusqlite::Result<u32> {
    let sql = "SELECT count(*) FROM new_addresses WHERE principal = :principal AND charged_at > :since";
    let since = now.saturating_sub(SENDS_WINDOW);
    tx.query_row(sql, named_params! { ":principal": principal, ":since": since }, |row| row.get(0)).map(count)
}

/// Whether an address is charged as new in the rolling 24 hours.
fn is_counted_new(tx: &Transaction<'_>, principal: &str, address: &str, now: i64) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM new_addresses
               WHERE principal = :principal AND address = :address AND charged_at > :since";
    let since = now.saturating_sub(SENDS_WINDOW);
    let params = named_params! { ":principal": principal, ":address": address, ":since": since };
    tx.query_row(sql, params, |row| row.get::<_, i64>(0)).map(|rows| rows > 0)
}

fn acquaintance(
    tx: &Transaction<'_>,
    principal: &str,
    address: &str,
) -> rusqlite::Result<Option<Acquaintance>> {
    let sql = "SELECT found_at, confirmed_at FROM known WHERE principal = :principal AND address = :address";
    let params = named_params! { ":principal": principal, ":address": address };
    let read =
        |row: &rusqlite::Row<'_>| Ok(Acquaintance { found_at: row.get(0)?, confirmed_at: row.get(1)? });
    tx.query_row(sql, params, read).optional()
}

/// Decides and claims. A refusal of the rules leaves everything as it was.
pub(super) fn claim(tx: &Transaction<'_>, claiming: &Claiming) -> rusqlite::Result<Result<(), Refusal>> {
    let Claiming { entry, terms, makes_known, now } = claiming;
    let ledger = read_ledger(tx, entry, *now)?;
    if let Err(refusal) = terms.of_claim(&ledger, *now) {
        return Ok(Err(refusal));
    }
    prune(tx, *now)?;
    let Entry { origin, principal, claim_key, message_id, addresses } = entry;
    meet(tx, principal, *now)?;
    let sql = "INSERT INTO claims (origin, claim_key, claimed_at) VALUES (:origin, :key, :now)";
    tx.execute(sql, named_params! { ":origin": origin, ":key": claim_key, ":now": now })?;
    let sql = "INSERT INTO sent (origin, claim_key, message_id, sent_at, outcome)
               VALUES (:origin, :key, :message_id, :now, :outcome)";
    let outcome = OUTCOME_UNKNOWN;
    tx.execute(
        sql,
        named_params! { ":origin": origin, ":key": claim_key, ":message_id": message_id, ":now": now, ":outcome": outcome },
    )?;
    let sql = "INSERT INTO charges (principal, charged_at) VALUES (:principal, :now)";
    tx.execute(sql, named_params! { ":principal": principal, ":now": now })?;
    for address in &terms.new {
        // Its last send counts, so that an address stays counted for a day after it.
        let sql =
            "INSERT INTO new_addresses (principal, address, charged_at) VALUES (:principal, :address, :now)
                   ON CONFLICT (principal, address) DO UPDATE SET charged_at = max(charged_at, :now)";
        tx.execute(sql, named_params! { ":principal": principal, ":address": address, ":now": now })?;
    }
    if *makes_known {
        for address in addresses {
            // The first confirmation counts.
            let sql = "INSERT INTO known (principal, address, confirmed_at) VALUES (:principal, :address, :now)
                       ON CONFLICT (principal, address) DO UPDATE SET confirmed_at = :now WHERE confirmed_at IS NULL";
            tx.execute(sql, named_params! { ":principal": principal, ":address": address, ":now": now })?;
        }
    }
    Ok(Ok(()))
}

/// Records that a sign-in was seen, if it wasn't yet.
fn meet(tx: &Transaction<'_>, principal: &str, now: i64) -> rusqlite::Result<()> {
    let sql =
        "INSERT INTO principals (principal, first_seen) VALUES (:principal, :now) ON CONFLICT DO NOTHING";
    tx.execute(sql, named_params! { ":principal": principal, ":now": now }).map(drop)
}

/// When a sign-in was first seen: now, if it never was.
pub(super) fn first_seen(tx: &Transaction<'_>, principal: &str, now: i64) -> rusqlite::Result<i64> {
    meet(tx, principal, now)?;
    let sql = "SELECT first_seen FROM principals WHERE principal = :principal";
    tx.query_row(sql, named_params! { ":principal": principal }, |row| row.get(0))
}

/// Records addresses that were found in Sent.
pub(super) fn found(
    tx: &Transaction<'_>,
    principal: &str,
    addresses: &[String],
    now: i64,
) -> rusqlite::Result<()> {
    for address in addresses {
        let sql = "INSERT INTO known (principal, address, found_at) VALUES (:principal, :address, :now)
                   ON CONFLICT (principal, address) DO UPDATE SET found_at = :now WHERE found_at IS NULL";
        tx.execute(sql, named_params! { ":principal": principal, ":address": address, ":now": now })?;
    }
    Ok(())
}

/// All that is recorded about a sign-in and its account.
pub(super) fn standing(tx: &Transaction<'_>, holder: &Holder, now: i64) -> rusqlite::Result<Standing> {
    let Holder { origin, principal } = holder;
    let of_principal = named_params! { ":principal": principal };
    let sql = "SELECT first_seen, exposed_at FROM principals WHERE principal = :principal";
    let row = tx.query_row(sql, of_principal, |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let (first_seen, exposed_at) = row.map_or((None, None), |(seen, exposed)| (Some(seen), exposed));
    let sql = "SELECT count(*) FROM sent WHERE origin = :origin AND outcome = :unknown";
    let params = named_params! { ":origin": origin, ":unknown": OUTCOME_UNKNOWN };
    let unsettled = tx.query_row(sql, params, |row| row.get(0)).map(count)?;
    let sql = "SELECT address, charged_at FROM new_addresses
               WHERE principal = :principal AND charged_at > :since ORDER BY address";
    let params = named_params! { ":principal": principal, ":since": now.saturating_sub(SENDS_WINDOW) };
    let new_addresses = tx
        .prepare(sql)?
        .query_map(params, |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    let sql =
        "SELECT address, found_at, confirmed_at FROM known WHERE principal = :principal ORDER BY address";
    let read = |row: &rusqlite::Row<'_>| {
        Ok((row.get(0)?, Acquaintance { found_at: row.get(1)?, confirmed_at: row.get(2)? }))
    };
    let known = tx.prepare(sql)?.query_map(of_principal, read)?.collect::<Result<_, _>>()?;
    let sql = "SELECT claim_key, claimed_at, outcome FROM claims LEFT JOIN sent USING (origin, claim_key)
               WHERE origin = :origin ORDER BY claimed_at DESC, claim_key";
    let read =
        |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get::<_, Option<i64>>(2)?.map(outcome)));
    let claims =
        tx.prepare(sql)?.query_map(named_params! { ":origin": origin }, read)?.collect::<Result<_, _>>()?;
    Ok(Standing {
        first_seen,
        exposed_at,
        sends: charged(tx, principal, now, SENDS_WINDOW)?,
        sends_in_hour: charged(tx, principal, now, HOUR)?,
        new_addresses,
        known,
        claims,
        unsettled,
    })
}

/// Removes what no rule looks at any more. What is in force stays, and so does what lies in the future.
fn prune(tx: &Transaction<'_>, now: i64) -> rusqlite::Result<()> {
    for (sql, term) in [
        ("DELETE FROM claims WHERE claimed_at <= :before", CLAIM_TERM),
        ("DELETE FROM sent WHERE sent_at <= :before", SENT_TERM),
        ("DELETE FROM charges WHERE charged_at <= :before", SENDS_WINDOW),
        ("DELETE FROM new_addresses WHERE charged_at <= :before", SENDS_WINDOW),
    ] {
        tx.execute(sql, named_params! { ":before": now.saturating_sub(term) })?;
    }
    Ok(())
}

pub(super) fn settle(
    tx: &Transaction<'_>,
    ticket: &ClaimTicket,
    outcome: SendSettled,
) -> rusqlite::Result<()> {
    let sql = match outcome {
        SendSettled::Accepted => "UPDATE sent SET outcome = 1 WHERE origin = :origin AND claim_key = :key",
        SendSettled::RefusedByServer => "DELETE FROM sent WHERE origin = :origin AND claim_key = :key",
        SendSettled::Unknown => return Ok(()),
    };
    tx.execute(sql, named_params! { ":origin": ticket.origin, ":key": ticket.claim_key })?;
    Ok(())
}

/// Sends charged to a sign-in in a rolling window, those in the future included.
fn charged(tx: &Transaction<'_>, principal: &str, now: i64, window: i64) -> rusqlite::Result<u32> {
    let sql = "SELECT count(*) FROM charges WHERE principal = :principal AND charged_at > :since";
    let params = named_params! { ":principal": principal, ":since": now.saturating_sub(window) };
    tx.query_row(sql, params, |row| row.get(0)).map(count)
}

fn count(rows: i64) -> u32 {
    u32::try_from(rows).unwrap_or(u32::MAX)
}

fn outcome(written: i64) -> SentOutcome {
    if written == OUTCOME_ACCEPTED { SentOutcome::Accepted } else { SentOutcome::Unknown }
}
