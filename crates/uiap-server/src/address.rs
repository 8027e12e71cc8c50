//! The one judge of addresses: what may be opened, and what a page may connect to.
//!
//! It reads less than a browser does, on purpose: an address that is not plainly written is refused, so that nobody can read it
//! in another way. Everything that a page asks for is judged again where the connection is made, by the address that the name
//! stands for at that moment.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, PoisonError, RwLock};

/// How a page is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// In the open.
    Http,
    /// Encrypted.
    Https,
}

impl Scheme {
    fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// Who is connected to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Host {
    /// A name, in lower case, without a dot at its end.
    Name(String),
    /// A number.
    Ip(IpAddr),
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Ip(IpAddr::V6(ip)) => write!(f, "[{ip}]"),
            Self::Ip(ip) => ip.fmt(f),
        }
    }
}

/// Scheme, host and port: what an address is judged by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// How.
    pub scheme: Scheme,
    /// Who.
    pub host: Host,
    /// Where.
    pub port: u16,
}

/// Why an address is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Not of the web.
    #[error("only http and https addresses are opened")]
    Scheme,
    /// A name and a password before the host mislead readers.
    #[error("an address with a user name is not opened")]
    UserInfo,
    /// Not plainly written.
    #[error("the address is not plainly written: {0}")]
    Unclear(&'static str),
    /// On this machine or in its neighbourhood.
    #[error("`{0}` is not a public address; allow its origin to open it")]
    NotPublic(String),
    /// A socket of this very server.
    #[error("`{0}` is this server itself; no page may reach it")]
    Ours(String),
    /// Not on the list.
    #[error("`{0}` is not an allowed origin")]
    NotListed(String),
}

impl Origin {
    /// The origin of an address; the path and what follows may hold anything but what could end the host early.
    pub fn of(url: &str) -> Result<Self, Refusal> {
        if url.bytes().any(|byte| byte.is_ascii_control() || byte == b' ' || byte == b'\\') {
            return Err(Refusal::Unclear(
                "control characters, spaces and backslashes are written in percent form",
            ));
        }
        let (scheme, rest) = url.split_once(':').ok_or(Refusal::Scheme)?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return Err(Refusal::Scheme),
        };
        let rest = rest.strip_prefix("//").ok_or(Refusal::Unclear("two slashes follow the scheme"))?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let authority = rest.get(..end).unwrap_or_default();
        Self::of_authority(scheme, authority)
    }

    /// Whether it is on this machine, under one of the names that always mean it.
    pub fn is_this_machine(&self) -> bool {
        match &self.host {
            Host::Ip(ip) => ip.to_canonical().is_loopback(),
            Host::Name(name) => name == "localhost" || name.ends_with(".localhost"),
        }
    }

    /// The origin of `host:port`.
    pub fn of_authority(scheme: Scheme, authority: &str) -> Result<Self, Refusal> {
        if authority.contains('@') {
            return Err(Refusal::UserInfo);
        }
        let (host, port) = split(authority)?;
        let port = match port {
            None => scheme.port(),
            Some(digits) => digits
                .parse()
                .ok()
                .filter(|port| *port != 0 && digits.bytes().all(|byte| byte.is_ascii_digit()))
                .ok_or(Refusal::Unclear("the port is a number from 1 to 65535"))?,
        };
        Ok(Self { scheme, host: read_host(host)?, port })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        write!(f, "{scheme}://{}", self.host)?;
        if self.port == self.scheme.port() { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

fn split(authority: &str) -> Result<(&str, Option<&str>), Refusal> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (host, after) = rest.split_once(']').ok_or(Refusal::Unclear("a bracket is not closed"))?;
        let start = authority.get(..host.len() + 2).unwrap_or_default();
        return match after.strip_prefix(':') {
            Some(port) => Ok((start, Some(port))),
            None if after.is_empty() => Ok((start, None)),
            None => Err(Refusal::Unclear("something stands between the host and the port")),
        };
    }
    match authority.split_once(':') {
        Some((host, port)) => Ok((host, Some(port))),
        None => Ok((authority, None)),
    }
}

fn read_host(text: &str) -> Result<Host, Refusal> {
    if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let ip: Ipv6Addr =
            inner.parse().map_err(|_| Refusal::Unclear("what stands in brackets is no IPv6 address"))?;
        return Ok(Host::Ip(IpAddr::V6(ip)));
    }
    let lower = text.to_ascii_lowercase();
    let name = lower.strip_suffix('.').unwrap_or(&lower);
    let plain = |label: &str| {
        let letters = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        letters && (1..=63).contains(&label.len())
    };
    if name.len() > 253 || !name.split('.').all(plain) {
        return Err(Refusal::Unclear(
            "a host has ASCII letters, digits, dots and hyphens; others are written as xn--…",
        ));
    }
    // A browser takes a host whose last part is a number for an IPv4 address, in many spellings; one spelling is enough.
    let last = name.rsplit('.').next().unwrap_or_default();
    let hex = last.strip_prefix("0x").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if hex || last.bytes().all(|byte| byte.is_ascii_digit()) {
        let ip: Ipv4Addr =
            name.parse().map_err(|_| Refusal::Unclear("an IPv4 address is four numbers joined by dots"))?;
        return Ok(Host::Ip(IpAddr::V4(ip)));
    }
    Ok(Host::Name(name.to_owned()))
}

/// What may be reached. Without a list every public address may; with one, only what is on it.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    listed: Vec<Origin>,
    public: bool,
    /// This machine, under its own names.
    machine: bool,
    /// Sockets of ours: no list opens them. Every copy knows them.
    closed: Arc<RwLock<Vec<SocketAddr>>>,
}

impl Reach {
    /// Every public address, and nothing else.
    pub fn public() -> Self {
        Self { public: true, ..Self::default() }
    }

    /// Only these: each an origin such as `http://127.0.0.1:8080`, or the word `public` for every public address.
    pub fn only<T: AsRef<str>>(entries: impl IntoIterator<Item = T>) -> Result<Self, (String, Refusal)> {
        let mut reach = Self::default();
        for entry in entries {
            let entry = entry.as_ref();
            if entry == "public" {
                reach.public = true;
                continue;
            }
            let bare = entry
                .split_once("//")
                .is_some_and(|(_, rest)| !rest.trim_end_matches('/').contains(['/', '?', '#']));
            let unclear = Refusal::Unclear("an origin is a scheme, a host and a port");
            let origin = if bare { Origin::of(entry) } else { Err(unclear) };
            reach.listed.push(origin.map_err(|refusal| (entry.to_owned(), refusal))?);
        }
        Ok(reach)
    }

    /// The same with everything on this machine.
    #[must_use]
    pub fn and_this_machine(mut self) -> Self {
        self.machine = true;
        self
    }

    /// The same without a socket of this process, whatever is listed: a page of ours never speaks to its own server.
    #[must_use]
    pub fn without(self, socket: SocketAddr) -> Self {
        self.close(socket);
        self
    }

    /// Closes a socket of this process to every page that is judged by this or by a copy of it.
    pub fn close(&self, socket: SocketAddr) {
        self.closed.write().unwrap_or_else(PoisonError::into_inner).push(socket);
    }

    /// Whether a number stands for a socket of ours. One that listens everywhere is found under every number of this machine.
    fn is_ours(&self, ip: IpAddr, port: u16) -> bool {
        let ip = ip.to_canonical();
        self.closed.read().unwrap_or_else(PoisonError::into_inner).iter().any(|socket| {
            let own = socket.ip().to_canonical();
            socket.port() == port
                && (own == ip
                    || ip.is_unspecified()
                    || ip.is_loopback()
                    || (own.is_unspecified() && !is_public(ip)))
        })
    }

    /// Judges an address before anything is asked.
    pub fn check(&self, url: &str) -> Result<Origin, Refusal> {
        let origin = Origin::of(url)?;
        self.check_origin(&origin)?;
        Ok(origin)
    }

    /// Judges an origin. A name is judged again by [`check_ip`](Self::check_ip) when it is known what it stands for.
    pub fn check_origin(&self, origin: &Origin) -> Result<(), Refusal> {
        if let Host::Ip(ip) = &origin.host
            && self.is_ours(*ip, origin.port)
        {
            return Err(Refusal::Ours(origin.to_string()));
        }
        if self.listed.contains(origin) || (self.machine && origin.is_this_machine()) {
            return Ok(());
        }
        if !self.public {
            return Err(Refusal::NotListed(origin.to_string()));
        }
        let public = match &origin.host {
            Host::Ip(ip) => is_public(*ip),
            Host::Name(name) => !is_local_name(name),
        };
        if public { Ok(()) } else { Err(Refusal::NotPublic(origin.to_string())) }
    }

    /// Judges a tunnel, of which only host and port are known.
    pub fn check_tunnel(&self, authority: &str) -> Result<Origin, Refusal> {
        let secure = Origin::of_authority(Scheme::Https, authority)?;
        let plain = Origin { scheme: Scheme::Http, ..secure.clone() };
        if self.listed.contains(&plain) || (self.machine && plain.is_this_machine()) {
            self.check_origin(&plain)?;
            return Ok(plain);
        }
        self.check_origin(&secure)?;
        Ok(secure)
    }

    /// Judges the number that a name stands for at this moment.
    pub fn check_ip(&self, origin: &Origin, ip: IpAddr) -> Result<(), Refusal> {
        if self.is_ours(ip, origin.port) {
            return Err(Refusal::Ours(origin.to_string()));
        }
        // Another name that stands for this machine is somebody's trick.
        let own = self.machine && origin.is_this_machine() && ip.to_canonical().is_loopback();
        if self.listed.contains(origin) || is_public(ip) || own {
            return Ok(());
        }
        Err(Refusal::NotPublic(format!("{} ({ip})", origin.host)))
    }
}

/// Names that mean this machine or its neighbourhood, or the machine that it runs on.
fn is_local_name(name: &str) -> bool {
    const ENDS: [&str; 7] = ["localhost", "local", "internal", "localdomain", "home.arpa", "intranet", "lan"];
    !name.contains('.') || ENDS.iter().any(|end| name == *end || name.ends_with(&format!(".{end}")))
}

/// Whether an address belongs to the public internet.
pub fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    !matches!(
        (a, b, c),
        (0 | 10 | 127 | 224.., ..)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 168, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    )
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    // Forms that carry an IPv4 address for another network are judged by it; those for this machine lie outside of 2000::/3.
    let segments = ip.segments();
    let [.., high, low] = segments;
    let inner = Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match segments {
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => is_public_v4(inner),
        [0x2002, a, b, ..] => is_public_v4(Ipv4Addr::from((u32::from(a) << 16) | u32::from(b))),
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, ..] => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests;
