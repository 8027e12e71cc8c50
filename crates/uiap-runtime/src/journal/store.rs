//! The journal itself: one file, one writer, few statements.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use uiap_model::action::SideEffectState;
use uiap_model::action::result::ActionStatus;
use uiap_model::capability::Idempotency;
use uiap_model::names::ActionHandle;

use super::entry::{self, Begin, NewAction};
use super::error::{Fault, JournalError, Place};
use super::interrupted::{self, Interrupted, read_idempotency};
use super::private;
use super::stage::Stage;

/// Says that a file of SQLite is a journal: `UIAJ`.
const APPLICATION: i64 = 0x5549_414a;

/// What makes format n + 1 out of format n; the first makes a new file.
const MIGRATIONS: [&str; 2] = ["
    CREATE TABLE action (
        handle TEXT PRIMARY KEY,
        session TEXT NOT NULL,
        principal TEXT NOT NULL,
        action_id TEXT NOT NULL,
        idempotency_key TEXT,
        payload_digest TEXT NOT NULL,
        idempotency TEXT NOT NULL,
        stage TEXT NOT NULL,
        run INTEGER NOT NULL,
        began_at INTEGER NOT NULL,
        dispatched_at INTEGER,
        ended_at INTEGER,
        status TEXT,
        side_effect TEXT,
        result TEXT,
        accepted INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE UNIQUE INDEX action_by_key ON action (principal, idempotency_key) WHERE idempotency_key IS NOT NULL;
    CREATE INDEX action_under_way ON action (run) WHERE stage <> 'done';
    CREATE INDEX action_by_end ON action (ended_at) WHERE stage = 'done';
    CREATE INDEX action_unknown ON action (principal, action_id, payload_digest)
        WHERE side_effect = 'unknown' AND accepted = 0;
    CREATE TABLE run (number INTEGER PRIMARY KEY, opened_at INTEGER NOT NULL) STRICT;
",
"
    ALTER TABLE action ADD COLUMN origin TEXT NOT NULL DEFAULT '';
    DROP INDEX action_unknown;
    CREATE INDEX action_unknown ON action (principal, action_id, payload_digest, origin)
        WHERE side_effect = 'unknown' AND accepted = 0;
"];
const FORMAT: i64 = 2;
const _: () = assert!(MIGRATIONS.len() == 2, "every format has its migration");

/// New actions between two looks for what may be forgotten.
const PRUNE_EVERY: u32 = 256;
const PAGE_BYTES: u64 = 4_096;

/// How long and how much a journal keeps.
#[derive(Clone, Copy, Debug)]
pub struct JournalLimits {
    /// How long the end of an action is known.
    pub keep: Duration,
    /// The same for one without a key, to which no later request can refer.
    pub keep_keyless: Duration,
    /// How long one is known whose effect is unknown and that nobody has accepted as such.
    pub keep_unknown: Duration,
    /// How large the file may become; beyond that new actions are refused.
    pub most_bytes: u64,
}

impl Default for JournalLimits {
    fn default() -> Self {
        const DAY: Duration = Duration::from_hours(24);
        Self { keep: DAY, keep_keyless: DAY, keep_unknown: DAY * 30, most_bytes: 256 << 20 }
    }
}

/// Which actions were asked for, which were sent, how they ended. All calls are short and may block on the disk.
#[derive(Debug)]
pub struct Journal {
    store: Mutex<Store>,
    place: Place,
}

#[derive(Debug)]
struct Store {
    connection: Connection,
    limits: JournalLimits,
    run: i64,
    /// Actions of earlier runs wait for their end.
    is_behind: bool,
    begun: u32,
}

impl Journal {
    /// Opens or creates a journal.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        Self::open_with(path, JournalLimits::default())
    }

    /// Opens or creates a journal with other limits.
    pub fn open_with(path: &Path, limits: JournalLimits) -> Result<Self, JournalError> {
        let connect = || {
            // Only a file that is not there: to close one that is would give back the lock that this process may hold on it.
            // Where it cannot be made, opening it as a journal fails too, and says why.
            drop(private::options().create_new(true).open(path));
            Connection::open(path)
        };
        Self::start(Place::File(path.to_owned()), connect, limits)
    }

    /// A journal that ends with the process: what it says of a crash is nothing, so that it forgets at once what nobody can refer to.
    pub fn in_memory() -> Result<Self, JournalError> {
        let limits = JournalLimits { keep_keyless: Duration::ZERO, ..JournalLimits::default() };
        Self::start(Place::Memory, Connection::open_in_memory, limits)
    }

    fn start(
        place: Place,
        connect: impl FnOnce() -> rusqlite::Result<Connection>,
        limits: JournalLimits,
    ) -> Result<Self, JournalError> {
        let store = connect().map_err(Fault::from).and_then(|connection| Store::start(connection, limits));
        match store {
            Ok(store) => Ok(Self { store: Mutex::new(store), place }),
            Err(fault) => Err(JournalError::new(&place, fault)),
        }
    }

    /// Writes down that an action was asked for, unless its key says that it was before.
    pub fn begin(&self, new: &NewAction) -> Result<Begin, JournalError> {
        self.with(|store| store.begin(new))
    }

    /// What the key of a request says of it; none when it has no key, or one that nobody used. Writes nothing.
    pub fn asked_before(&self, new: &NewAction) -> Result<Option<Begin>, JournalError> {
        self.with(|store| entry::known(&store.connection, new))
    }

    /// Input is about to be sent. On the disk when this returns, unless the action is idempotent.
    pub fn dispatching(&self, handle: &ActionHandle, at: SystemTime) -> Result<(), JournalError> {
        self.with(|store| store.dispatching(handle, at))
    }

    /// The surface took the input.
    pub fn acknowledged(&self, handle: &ActionHandle) -> Result<(), JournalError> {
        self.with(|store| store.advance(handle, Stage::Acknowledged, &[Stage::Dispatching]))
    }

    /// The signals of success were seen.
    pub fn verified(&self, handle: &ActionHandle) -> Result<(), JournalError> {
        self.with(|store| store.advance(handle, Stage::Verified, &[Stage::Dispatching, Stage::Acknowledged]))
    }

    /// The action ended; its result answers whoever asks again.
    pub fn finish(
        &self,
        handle: &ActionHandle,
        status: ActionStatus,
        side_effect: SideEffectState,
        result_json: &str,
    ) -> Result<(), JournalError> {
        self.with(|store| store.finish(handle, status, side_effect, result_json))
    }

    /// Ends what earlier runs left under way, stores the outcome as the result of each, and tells of them.
    pub fn recover(&self) -> Result<Vec<Interrupted>, JournalError> {
        self.with(Store::recover)
    }

    /// The action that makes this one unsafe to repeat: it was the same, doing it twice does more than once, and nobody
    /// knows whether it took effect.
    pub fn refuses_repeat(&self, new: &NewAction) -> Result<Option<ActionHandle>, JournalError> {
        self.with(|store| store.refuses_repeat(new))
    }

    /// Somebody takes it upon them that the effect of an action is unknown: it stands in nobody's way any more.
    pub fn accept_unknown(&self, handle: &ActionHandle) -> Result<(), JournalError> {
        self.with(|store| {
            let mut update =
                store.connection.prepare_cached("UPDATE action SET accepted = 1 WHERE handle = ?1")?;
            known(update.execute([handle.as_str()])?, handle)
        })
    }

    /// A later look told whether an interrupted action took effect: its stored result is replaced.
    pub fn settle(
        &self,
        handle: &ActionHandle,
        status: ActionStatus,
        side_effect: SideEffectState,
        result_json: &str,
    ) -> Result<(), JournalError> {
        self.with(|store| {
            let found = store.entry(handle)?.0;
            if found != Stage::Done {
                return Err(Fault::WrongStage { handle: handle.clone(), found, wanted: Stage::Done });
            }
            store.end(handle, status, side_effect, result_json)
        })
    }

    /// Forgets what ended longer ago than the limits say; tells how many.
    pub fn prune(&self, now: SystemTime) -> Result<usize, JournalError> {
        self.with(|store| store.prune(millis(now)))
    }

    fn with<T>(&self, work: impl FnOnce(&mut Store) -> Result<T, Fault>) -> Result<T, JournalError> {
        let mut store: MutexGuard<'_, Store> = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut store).map_err(|fault| JournalError::new(&self.place, fault))
    }
}

impl Store {
    fn start(mut connection: Connection, limits: JournalLimits) -> Result<Self, Fault> {
        connection.busy_timeout(Duration::ZERO)?;
        // Held until the process ends, however it ends: two runtimes with one journal could each do an action.
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        let format = inspect(&connection)?;
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        let pages = i64::try_from((limits.most_bytes / PAGE_BYTES).max(16)).unwrap_or(i64::MAX);
        connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
        let now = millis(SystemTime::now());
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        migrate(&transaction, format)?;
        transaction.execute("INSERT INTO run (opened_at) VALUES (?1)", [now])?;
        let run = transaction.last_insert_rowid();
        transaction.execute("DELETE FROM run WHERE number < ?1", [run])?;
        let waiting: i64 =
            transaction
                .query_row("SELECT count(*) FROM action WHERE stage <> 'done'", [], |row| row.get(0))?;
        transaction.commit()?;
        Ok(Self { connection, limits, run, is_behind: waiting > 0, begun: 0 })
    }

    fn begin(&mut self, new: &NewAction) -> Result<Begin, Fault> {
        if self.is_behind {
            return Err(Fault::NotRecovered);
        }
        let now = millis(SystemTime::now());
        if self.begun.is_multiple_of(PRUNE_EVERY) {
            self.prune(now)?;
        }
        self.begun = self.begun.wrapping_add(1);
        // Nobody else writes, so that looking and writing need no transaction around them.
        match entry::known(&self.connection, new)? {
            Some(answer) => Ok(answer),
            None => entry::insert(&self.connection, new, self.run, now).map(|()| Begin::Fresh),
        }
    }

    fn dispatching(&mut self, handle: &ActionHandle, at: SystemTime) -> Result<(), Fault> {
        let (found, idempotency) = self.entry(handle)?;
        if found != Stage::Received {
            let wanted = Stage::Dispatching;
            return Err(Fault::WrongStage { handle: handle.clone(), found, wanted });
        }
        let durable = idempotency != Idempotency::Idempotent;
        if durable {
            self.connection.pragma_update(None, "synchronous", "FULL")?;
        }
        let written = self
            .connection
            .prepare_cached("UPDATE action SET stage = 'dispatching', dispatched_at = ?2 WHERE handle = ?1")
            .and_then(|mut update| update.execute(params![handle.as_str(), millis(at)]));
        if durable {
            self.connection.pragma_update(None, "synchronous", "NORMAL")?;
        }
        known(written?, handle)
    }

    fn advance(&mut self, handle: &ActionHandle, wanted: Stage, from: &[Stage]) -> Result<(), Fault> {
        let found = self.entry(handle)?.0;
        if !from.contains(&found) {
            return Err(Fault::WrongStage { handle: handle.clone(), found, wanted });
        }
        let mut update = self.connection.prepare_cached("UPDATE action SET stage = ?2 WHERE handle = ?1")?;
        known(update.execute(params![handle.as_str(), wanted.as_str()])?, handle)
    }

    fn finish(
        &mut self,
        handle: &ActionHandle,
        status: ActionStatus,
        side_effect: SideEffectState,
        result_json: &str,
    ) -> Result<(), Fault> {
        let found = self.entry(handle)?.0;
        if found == Stage::Done {
            return Err(Fault::WrongStage { handle: handle.clone(), found, wanted: Stage::Done });
        }
        self.end(handle, status, side_effect, result_json)
    }

    fn end(
        &mut self,
        handle: &ActionHandle,
        status: ActionStatus,
        side_effect: SideEffectState,
        result_json: &str,
    ) -> Result<(), Fault> {
        let mut update = self.connection.prepare_cached(
            "UPDATE action SET stage = 'done', status = ?2, side_effect = ?3, result = ?4, ended_at = ?5 WHERE handle = ?1",
        )?;
        let now = millis(SystemTime::now());
        let written = update.execute(params![
            handle.as_str(),
            status.as_str(),
            side_effect.as_str(),
            result_json,
            now
        ])?;
        known(written, handle)
    }

    fn recover(&mut self) -> Result<Vec<Interrupted>, Fault> {
        let now = millis(SystemTime::now());
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let found = interrupted::recover(&transaction, self.run, now)?;
        transaction.commit()?;
        self.is_behind = false;
        Ok(found)
    }

    fn refuses_repeat(&mut self, new: &NewAction) -> Result<Option<ActionHandle>, Fault> {
        let mut select = self.connection.prepare_cached(
            "SELECT handle FROM action WHERE principal = ?1 AND action_id = ?2 AND payload_digest = ?3 AND origin IN (?4, '')
             AND side_effect = 'unknown' AND accepted = 0 AND idempotency <> 'idempotent' LIMIT 1",
        )?;
        let wanted = params![
            new.principal.as_str(),
            new.action_id.as_str(),
            new.payload_digest.as_str(),
            new.origin.as_str()
        ];
        let found: Option<String> = select.query_row(wanted, |row| row.get(0)).optional()?;
        found.map(|handle| entry::read_handle(&handle)).transpose()
    }

    fn prune(&mut self, now: i64) -> Result<usize, Fault> {
        let before = |keep: Duration| now.saturating_sub(i64::try_from(keep.as_millis()).unwrap_or(i64::MAX));
        let mut delete = self.connection.prepare_cached(
            "DELETE FROM action WHERE stage = 'done'
             AND ended_at < CASE
                WHEN side_effect = 'unknown' AND accepted = 0 THEN ?2
                WHEN idempotency_key IS NULL THEN ?3
                ELSE ?1 END",
        )?;
        let JournalLimits { keep, keep_keyless, keep_unknown, .. } = self.limits;
        Ok(delete.execute([before(keep), before(keep_unknown), before(keep_keyless)])?)
    }

    /// How far an action is, and of what kind.
    fn entry(&self, handle: &ActionHandle) -> Result<(Stage, Idempotency), Fault> {
        let mut select =
            self.connection.prepare_cached("SELECT stage, idempotency FROM action WHERE handle = ?1")?;
        let found: Option<(String, String)> =
            select.query_row([handle.as_str()], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let (stage, kind) = found.ok_or_else(|| Fault::UnknownHandle(handle.clone()))?;
        Stage::parse(&stage).zip(read_idempotency(&kind)).ok_or_else(|| Fault::BadEntry {
            handle: handle.as_str().to_owned(),
            what: "its stage or its kind is unknown",
        })
    }
}

/// The format of a file. One that is foreign or newer is left as it is, so that this comes before anything is written.
fn inspect(connection: &Connection) -> Result<i64, Fault> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (application, format) = (number("application_id")?, number("user_version")?);
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let is_new = application == 0 && format == 0 && tables == 0;
    if !is_new && application != APPLICATION {
        return Err(Fault::Foreign);
    }
    if format > FORMAT {
        return Err(Fault::Newer { found: format, known: FORMAT });
    }
    Ok(format)
}

/// Brings a file to the present format.
fn migrate(transaction: &Transaction<'_>, format: i64) -> Result<(), Fault> {
    for step in MIGRATIONS.iter().skip(usize::try_from(format).unwrap_or_default()) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    Ok(())
}

fn known(written: usize, handle: &ActionHandle) -> Result<(), Fault> {
    if written == 0 { Err(Fault::UnknownHandle(handle.clone())) } else { Ok(()) }
}

fn millis(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
