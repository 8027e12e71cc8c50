//! A peer in a test: writes envelopes, and speaks to a session over memory, a socket or posts.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;
use uiap_policy::{Policies, PolicyStore};
use uiap_server::protocol::outbox::{From, Next, Reader};
use uiap_server::protocol::{
    Arrival, Contract, Farewell, Holder, House, HouseOptions, Keyring, Outcome, Sender, Session, Visitor,
};

use crate::fake::FakeStages;

/// Nothing in a test takes longer.
pub(crate) const LONG: Duration = Duration::from_secs(20);

pub(crate) struct World {
    pub(crate) house: Arc<House>,
    pub(crate) stages: Arc<FakeStages>,
}

pub(crate) fn world() -> World {
    world_with(HouseOptions::default(), Keyring::default())
}

pub(crate) fn world_with(options: HouseOptions, keyring: Keyring) -> World {
    let stages = Arc::new(FakeStages::default());
    let contract = Contract::of_pages(Vec::new()).unwrap();
    let policy = PolicyStore::new(Policies::off());
    let house = House::new(options, contract, policy, keyring, Arc::<FakeStages>::clone(&stages)).unwrap();
    World { house, stages }
}

/// A message as a client writes it.
pub(crate) fn message(kind: &str, name: &str, id: &str, session: Option<&str>, payload: &Value) -> Value {
    let mut envelope = json!({
        "uiap": "0.1", "kind": kind, "type": name, "id": id, "ts": "2026-03-26T14:00:00.000Z",
        "source": { "role": "agent", "id": "tester" }, "payload": payload,
    });
    if let Some(session) = session {
        envelope["sessionId"] = session.into();
    }
    envelope
}

/// What a client offers.
pub(crate) fn offer() -> Value {
    json!({
        "supportedVersions": ["0.1"], "peer": { "role": "agent", "id": "tester" },
        "supportedProfiles": ["web@0.1"], "extensions": [{ "id": "uiap.policy", "versions": ["0.1"] }],
    })
}

/// A peer that speaks to a house without any wire.
pub(crate) struct Peer {
    pub(crate) house: Arc<House>,
    pub(crate) session: Arc<Session>,
    pub(crate) initialized: Value,
    pub(crate) farewell: watch::Receiver<Option<Farewell>>,
    pub(crate) reader: Reader,
    pub(crate) link: u64,
    seen: VecDeque<Value>,
    next: u64,
}

/// Knocks with a payload of `session.initialize`.
pub(crate) fn knock(house: &Arc<House>, payload: &Value) -> Result<Peer, Value> {
    let text = message("request", "session.initialize", "init", None, payload).to_string();
    let link = house.link();
    let farewell = watch::Sender::new(None);
    let holder = Holder::Link { number: link, farewell: farewell.clone() };
    match house.welcome(text.as_bytes(), Visitor { credential: None, holder }) {
        Arrival::Opened(session, reply) => Ok(Peer {
            house: Arc::clone(house),
            reader: session.outbox().reader(From::Waiting),
            session,
            initialized: serde_json::from_str(&reply.sealed.text).unwrap(),
            farewell: farewell.subscribe(),
            link,
            seen: VecDeque::new(),
            next: 1,
        }),
        Arrival::Refused(reply) | Arrival::Early(reply) => {
            Err(serde_json::from_str(&reply.sealed.text).unwrap())
        }
    }
}

pub(crate) fn open(world: &World) -> Peer {
    knock(&world.house, &offer()).unwrap()
}

impl Peer {
    pub(crate) fn id(&self) -> String {
        self.session.id().to_string()
    }

    /// Sends text; the answer, if it gets one.
    pub(crate) async fn raw(&self, text: &str) -> Option<Value> {
        match self.session.receive(text.as_bytes(), &Sender::Link(self.link)).await {
            Outcome::Reply(reply) => Some(serde_json::from_str(&reply.sealed.text).unwrap()),
            Outcome::Silence | Outcome::Dropped(_) => None,
        }
    }

    pub(crate) fn write(&mut self, kind: &str, name: &str, payload: &Value) -> Value {
        self.next += 1;
        message(kind, name, &format!("c{}", self.next), Some(&self.id()), payload)
    }

    /// Sends a request and returns its answer, whatever it is.
    pub(crate) async fn ask(&mut self, name: &str, payload: Value) -> Value {
        let text = self.write("request", name, &payload).to_string();
        self.raw(&text).await.unwrap()
    }

    /// The next thing that the session tells by itself.
    pub(crate) async fn told(&mut self) -> Value {
        if let Some(seen) = self.seen.pop_front() {
            return seen;
        }
        match tokio::time::timeout(LONG, self.reader.next()).await.expect("nothing was told") {
            Next::Message(_, text) => serde_json::from_str(&text).unwrap(),
            other => json!({ "type": format!("{other:?}") }),
        }
    }

    /// What the session tells within a moment.
    pub(crate) async fn overheard(&mut self) -> Vec<Value> {
        let mut all: Vec<Value> = self.seen.drain(..).collect();
        while let Ok(Next::Message(_, text)) =
            tokio::time::timeout(Duration::from_millis(50), self.reader.next()).await
        {
            all.push(serde_json::from_str(&text).unwrap());
        }
        all
    }
}

pub(crate) fn code(answer: &Value) -> &str {
    answer["payload"]["code"].as_str().unwrap_or_else(|| panic!("no error: {answer}"))
}
