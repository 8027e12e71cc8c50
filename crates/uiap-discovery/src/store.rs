//! The memory of a run: one file of SQLite. What it acknowledged survives the process, so that a run that was killed goes on where
//! it was.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use compact_str::CompactString;
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::ground::Step;
use crate::record::{DecisionRecord, Incident, SeedRecord, TransitionRecord};
use crate::run::node::{Details, Node};

/// Says that a file of SQLite is the store of a run: `UIAD`.
const APPLICATION: i64 = 0x5549_4144;
/// The form of the file.
const FORMAT: i64 = 2;

const TABLES: &str = "
    CREATE TABLE fact (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
    CREATE TABLE seed (number INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
    CREATE TABLE seeded (profile TEXT NOT NULL, url TEXT NOT NULL, PRIMARY KEY (profile, url)) STRICT;
    CREATE TABLE state (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL, graph BLOB NOT NULL, details BLOB NOT NULL
    ) STRICT;
    CREATE TABLE candidate (
        number INTEGER PRIMARY KEY, state INTEGER NOT NULL, profile TEXT NOT NULL, rank INTEGER NOT NULL,
        control TEXT NOT NULL, body TEXT NOT NULL, standing INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX candidate_open ON candidate (standing) WHERE standing < 2;
    CREATE TABLE result (number INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
    CREATE TABLE begun (number INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE transition (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, control TEXT NOT NULL, consequence TEXT, body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE decision (number INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
    CREATE TABLE incident (number INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
";

/// Why the store could not be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite refused.
    #[error("the run's store `{0}` cannot be used: {1}")]
    Sql(PathBuf, #[source] rusqlite::Error),
    /// Not a store of a run, or of a later version.
    #[error("`{0}` is not the store of a run that this version knows")]
    Foreign(PathBuf),
    /// What it holds cannot be read.
    #[error("the run's store holds something unreadable: {0}")]
    Content(#[from] serde_json::Error),
    /// A packed page cannot be read.
    #[error("the run's store holds a page that cannot be unpacked: {0}")]
    Packed(#[from] std::io::Error),
}

/// How a candidate stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nobody took it yet.
    Open,
    /// It belongs to the batch that is under way.
    Taken,
    /// It is over without having been tried: not needed, or not affordable.
    Over,
    /// It was tried, whatever came of it.
    Tried,
}

/// A candidate as it is kept.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) number: u64,
    pub(crate) state: usize,
    pub(crate) profile: String,
    pub(crate) rank: u8,
    pub(crate) control: String,
    pub(crate) body: Allowed,
}

/// What was allowed, and how it was judged.
#[derive(Clone, Debug, Serialize, serde::Deserialize)]
pub(crate) struct Allowed {
    pub(crate) step: Step,
    pub(crate) side_effect: uiap_model::policy::SideEffectClass,
    /// Whether it must not be done twice.
    pub(crate) once: bool,
    /// How far its state was from a seed when it was found.
    pub(crate) depth: u32,
}

/// A transition with what is known of its control.
#[derive(Clone, Debug)]
pub(crate) struct Crossing {
    pub(crate) record: TransitionRecord,
    pub(crate) control: String,
    pub(crate) consequence: Option<String>,
}

/// What belongs together: all of it is kept, or nothing.
#[derive(Debug, Default)]
pub(crate) struct Chapter {
    pub(crate) facts: Vec<(&'static str, serde_json::Value)>,
    pub(crate) seeds: Vec<(usize, SeedRecord)>,
    /// Addresses that a profile need not open any more.
    pub(crate) seeded: Vec<(CompactString, String)>,
    pub(crate) states: Vec<(usize, Node, Packed, Details)>,
    pub(crate) nodes: Vec<(usize, Node)>,
    pub(crate) candidates: Vec<(Kept, Standing)>,
    pub(crate) standings: Vec<(u64, Standing)>,
    pub(crate) crossings: Vec<Crossing>,
    pub(crate) decisions: Vec<DecisionRecord>,
    pub(crate) incidents: Vec<Incident>,
    /// Results that are taken up by this chapter.
    pub(crate) taken_up: Vec<u64>,
}

/// JSON made small.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packed(pub(crate) Vec<u8>);

impl Packed {
    pub(crate) fn of(value: &impl Serialize) -> Result<Self, StoreError> {
        let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        serde_json::to_writer(&mut packer, value)?;
        Ok(Self(packer.finish()?))
    }

    pub(crate) fn open<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, StoreError> {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut flate2::read::DeflateDecoder::new(bytes), &mut text)?;
        Ok(serde_json::from_str(&text)?)
    }
}

/// The memory of one run.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

impl Store {
    /// Opens the store of a run, or makes one.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = Connection::open(path).map_err(|error| StoreError::Sql(path.to_owned(), error))?;
        Self::prepare(connection, path.to_owned(), true)
    }

    /// A store that ends with the process.
    pub fn in_memory() -> Result<Self, StoreError> {
        let path = PathBuf::from(":memory:");
        let connection =
            Connection::open_in_memory().map_err(|error| StoreError::Sql(path.clone(), error))?;
        Self::prepare(connection, path, false)
    }

    fn prepare(connection: Connection, path: PathBuf, file: bool) -> Result<Self, StoreError> {
        let store = Self { connection, path };
        if file {
            store.sql(|sql| {
                sql.pragma_update(None, "locking_mode", "exclusive")?;
                sql.pragma_update(None, "journal_mode", "wal")?;
                sql.pragma_update(None, "synchronous", "full")
            })?;
        }
        let application: i64 =
            store.sql(|sql| sql.pragma_query_value(None, "application_id", |row| row.get(0)))?;
        let format: i64 = store.sql(|sql| sql.pragma_query_value(None, "user_version", |row| row.get(0)))?;
        match (application, format) {
            (APPLICATION, FORMAT) => {}
            (0, 0) => store.sql(|sql| {
                sql.execute_batch(&format!(
                    "BEGIN; {TABLES} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT}; COMMIT;"
                ))
            })?,
            _ => return Err(StoreError::Foreign(store.path)),
        }
        Ok(store)
    }

    fn sql<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        work(&self.connection).map_err(|error| StoreError::Sql(self.path.clone(), error))
    }

    /// Keeps a chapter. It is on the disk when this returns.
    pub(crate) fn keep(&mut self, chapter: &Chapter) -> Result<(), StoreError> {
        let path = self.path.clone();
        let fault = |error| StoreError::Sql(path.clone(), error);
        let transaction = self.connection.transaction().map_err(fault)?;
        write(&transaction, chapter, &path)?;
        transaction.commit().map_err(|error| StoreError::Sql(path, error))
    }

    /// From now on chapters are kept in their order, and on the disk only with the next one after [`Self::be_sure`].
    pub(crate) fn hurry(&self) -> Result<(), StoreError> {
        self.sql(|sql| sql.pragma_update(None, "synchronous", "normal"))
    }

    /// From now on everything is on the disk when it is kept, with all that was kept before.
    pub(crate) fn be_sure(&self) -> Result<(), StoreError> {
        self.sql(|sql| sql.pragma_update(None, "synchronous", "full"))
    }

    /// Keeps what came of a candidate until it is taken up in its turn.
    pub(crate) fn result(&self, number: u64, result: &impl Serialize) -> Result<(), StoreError> {
        let packed = Packed::of(result)?;
        self.sql(|sql| {
            sql.prepare_cached("INSERT OR REPLACE INTO result VALUES (?1, ?2)")?
                .execute(params![signed(number), packed.0])
                .map(drop)
        })
    }

    /// Something that must not be done twice is about to be done.
    pub(crate) fn begin(&self, number: u64) -> Result<(), StoreError> {
        self.sql(|sql| sql.execute("INSERT OR REPLACE INTO begun VALUES (?1)", [signed(number)]).map(drop))
    }

    /// Whether it was begun before, and nobody knows how it ended.
    pub(crate) fn was_begun(&self, number: u64) -> Result<bool, StoreError> {
        self.sql(|sql| sql.prepare_cached("SELECT 1 FROM begun WHERE number = ?1")?.exists([signed(number)]))
    }

    /// What was kept of a candidate's outcome.
    pub(crate) fn result_of<T: DeserializeOwned>(&self, number: u64) -> Result<Option<T>, StoreError> {
        let found: Option<Vec<u8>> = self.sql(|sql| {
            sql.prepare_cached("SELECT body FROM result WHERE number = ?1")?
                .query_row([signed(number)], |row| row.get(0))
                .optional()
        })?;
        found.map(|bytes| Packed::open(&bytes)).transpose()
    }

    /// A fact of the run.
    pub(crate) fn fact<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, StoreError> {
        let found: Option<String> = self.sql(|sql| {
            sql.prepare_cached("SELECT body FROM fact WHERE name = ?1")?
                .query_row([name], |row| row.get(0))
                .optional()
        })?;
        Ok(found.map(|text| serde_json::from_str(&text)).transpose()?)
    }

    /// A candidate.
    pub(crate) fn candidate(&self, number: u64) -> Result<Option<Kept>, StoreError> {
        let mut found = self.kept("WHERE number = ?1", signed(number))?;
        Ok(found.pop())
    }

    /// Candidates that stand so, in their order.
    pub(crate) fn candidates(&self, standing: Standing) -> Result<Vec<Kept>, StoreError> {
        self.kept("WHERE standing = ?1 ORDER BY number", standing_number(standing))
    }

    fn kept(&self, condition: &str, value: i64) -> Result<Vec<Kept>, StoreError> {
        let rows: Vec<(i64, i64, String, u8, String, String)> = self.sql(|sql| {
            let text =
                format!("SELECT number, state, profile, rank, control, body FROM candidate {condition}");
            let mut statement = sql.prepare_cached(&text)?;
            let rows = statement.query_map([value], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
            })?;
            rows.collect()
        })?;
        let kept = |(number, state, profile, rank, control, body): (i64, i64, String, u8, String, String)| {
            Ok(Kept {
                number: number.unsigned_abs(),
                state: usize::try_from(state).unwrap_or_default(),
                profile,
                rank,
                control,
                body: serde_json::from_str(&body)?,
            })
        };
        rows.into_iter().map(kept).collect()
    }

    /// How often something was tried in a state, by the state's number.
    pub(crate) fn tries(&self) -> Result<Vec<(usize, usize)>, StoreError> {
        self.sql(|sql| {
            let mut statement =
                sql.prepare("SELECT state, count(*) FROM candidate WHERE standing = ?1 GROUP BY state")?;
            let rows = statement.query_map([standing_number(Standing::Tried)], |row| {
                Ok((row.get::<_, u32>(0)? as usize, row.get::<_, u32>(1)? as usize))
            })?;
            rows.collect()
        })
    }

    /// The states, without what they show.
    pub(crate) fn nodes(&self) -> Result<Vec<Node>, StoreError> {
        self.bodies("SELECT body FROM state ORDER BY number")
    }

    /// What a state shows, and what is kept beside.
    pub(crate) fn state(
        &self,
        number: usize,
    ) -> Result<Option<(Arc<uiap_model::web::PageGraph>, Details)>, StoreError> {
        let found: Option<(Vec<u8>, Vec<u8>)> = self.sql(|sql| {
            sql.prepare_cached("SELECT graph, details FROM state WHERE number = ?1")?
                .query_row([signed(number as u64)], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()
        })?;
        let Some((graph, details)) = found else { return Ok(None) };
        Ok(Some((Arc::new(Packed::open(&graph)?), Packed::open(&details)?)))
    }

    /// The seeds.
    pub(crate) fn seeds(&self) -> Result<Vec<SeedRecord>, StoreError> {
        self.bodies("SELECT body FROM seed ORDER BY number")
    }

    /// Whether a profile opened an address that somebody proposed.
    pub(crate) fn was_seeded(&self, profile: &str, url: &str) -> Result<bool, StoreError> {
        self.sql(|sql| {
            sql.prepare_cached("SELECT 1 FROM seeded WHERE profile = ?1 AND url = ?2")?.exists([profile, url])
        })
    }

    /// The decisions.
    pub(crate) fn decisions(&self) -> Result<Vec<DecisionRecord>, StoreError> {
        self.bodies("SELECT body FROM decision ORDER BY number")
    }

    /// The incidents.
    pub(crate) fn incidents(&self) -> Result<Vec<Incident>, StoreError> {
        self.bodies("SELECT body FROM incident ORDER BY number")
    }

    /// The transitions with what is known of their controls.
    pub(crate) fn crossings(&self) -> Result<Vec<Crossing>, StoreError> {
        let rows: Vec<(String, Option<String>, String)> = self.sql(|sql| {
            let mut statement =
                sql.prepare("SELECT control, consequence, body FROM transition ORDER BY number")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            rows.collect()
        })?;
        let crossing = |(control, consequence, body): (String, Option<String>, String)| {
            Ok(Crossing { record: serde_json::from_str(&body)?, control, consequence })
        };
        rows.into_iter().map(crossing).collect()
    }

    /// One transition.
    pub(crate) fn transition(&self, id: &str) -> Result<Option<TransitionRecord>, StoreError> {
        let found: Option<String> = self.sql(|sql| {
            sql.prepare_cached("SELECT body FROM transition WHERE id = ?1")?
                .query_row([id], |row| row.get(0))
                .optional()
        })?;
        Ok(found.map(|text| serde_json::from_str(&text)).transpose()?)
    }

    /// The highest number of a candidate.
    pub(crate) fn last_candidate(&self) -> Result<u64, StoreError> {
        let last: Option<i64> =
            self.sql(|sql| sql.query_row("SELECT max(number) FROM candidate", [], |row| row.get(0)))?;
        Ok(last.unwrap_or_default().unsigned_abs())
    }

    fn bodies<T: DeserializeOwned>(&self, query: &str) -> Result<Vec<T>, StoreError> {
        let texts: Vec<String> = self.sql(|sql| {
            let mut statement = sql.prepare(query)?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        })?;
        texts.iter().map(|text| Ok(serde_json::from_str(text)?)).collect()
    }
}

fn write(sql: &Transaction<'_>, chapter: &Chapter, path: &Path) -> Result<(), StoreError> {
    let run = |text: &str, values: &[&dyn rusqlite::ToSql]| -> Result<(), StoreError> {
        let done = sql.prepare_cached(text).and_then(|mut statement| statement.execute(values));
        done.map(drop).map_err(|error| StoreError::Sql(path.to_owned(), error))
    };
    for (name, value) in &chapter.facts {
        run("INSERT OR REPLACE INTO fact VALUES (?1, ?2)", &[name, &value.to_string()])?;
    }
    for (number, seed) in &chapter.seeds {
        let body = serde_json::to_string(seed)?;
        run("INSERT OR REPLACE INTO seed VALUES (?1, ?2)", &[&signed(*number as u64), &body])?;
    }
    for (profile, url) in &chapter.seeded {
        run("INSERT OR IGNORE INTO seeded VALUES (?1, ?2)", &[&profile.as_str(), url])?;
    }
    for (number, node, graph, details) in &chapter.states {
        let (number, body) = (signed(*number as u64), serde_json::to_string(node)?);
        let details = Packed::of(details)?;
        let values: [&dyn rusqlite::ToSql; 5] =
            [&number, &node.state_id.as_str(), &body, &graph.0, &details.0];
        run("INSERT INTO state VALUES (?1, ?2, ?3, ?4, ?5)", &values)?;
    }
    for (number, node) in &chapter.nodes {
        let body = serde_json::to_string(node)?;
        run("UPDATE state SET body = ?2 WHERE number = ?1", &[&signed(*number as u64), &body])?;
    }
    for (kept, standing) in &chapter.candidates {
        let body = serde_json::to_string(&kept.body)?;
        let (number, state) = (signed(kept.number), signed(kept.state as u64));
        let values: [&dyn rusqlite::ToSql; 7] =
            [&number, &state, &kept.profile, &kept.rank, &kept.control, &body, &standing_number(*standing)];
        run("INSERT INTO candidate VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", &values)?;
    }
    for (number, standing) in &chapter.standings {
        let values: [&dyn rusqlite::ToSql; 2] = [&signed(*number), &standing_number(*standing)];
        run("UPDATE candidate SET standing = ?2 WHERE number = ?1", &values)?;
    }
    for Crossing { record, control, consequence } in &chapter.crossings {
        let (id, body) = (record.transition_id.as_str(), serde_json::to_string(record)?);
        let values: [&dyn rusqlite::ToSql; 4] = [&id, control, consequence, &body];
        run(
            "INSERT INTO transition (id, control, consequence, body) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (id) DO UPDATE SET body = excluded.body",
            &values,
        )?;
    }
    for decision in &chapter.decisions {
        run("INSERT INTO decision (body) VALUES (?1)", &[&serde_json::to_string(decision)?])?;
    }
    for incident in &chapter.incidents {
        run("INSERT INTO incident (body) VALUES (?1)", &[&serde_json::to_string(incident)?])?;
    }
    for number in &chapter.taken_up {
        run("DELETE FROM result WHERE number = ?1", &[&signed(*number)])?;
        run("DELETE FROM begun WHERE number = ?1", &[&signed(*number)])?;
    }
    Ok(())
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn standing_number(standing: Standing) -> i64 {
    match standing {
        Standing::Open => 0,
        Standing::Taken => 1,
        Standing::Over => 2,
        Standing::Tried => 3,
    }
}
