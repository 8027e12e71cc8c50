//! Every way to write an address that should not be opened.

use super::*;

fn refused(url: &str) -> Refusal {
    Reach::public().check(url).expect_err(url)
}

#[test]
fn public_addresses_are_opened() {
    for url in [
        "http://example.com",
        "https://example.com/",
        "HTTPS://EXAMPLE.com:8443/a?b#c",
        "https://example.com./",
        "http://93.184.216.34/",
        "http://[2606:2800:220:1:248:1893:25c8:1946]/",
        "https://xn--bcher-kva.example/",
        "http://a_b.example.com/path@with:signs",
        "http://example.com?http://127.0.0.1/",
    ] {
        assert!(Reach::public().check(url).is_ok(), "{url}");
    }
}

#[test]
fn other_schemes_are_not_opened() {
    for url in [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,x",
        "blob:http://example.com/1",
        "chrome://settings",
        "chrome-extension://abc/x",
        "devtools://devtools",
        "view-source:http://example.com",
        "filesystem:http://example.com/x",
        "ftp://example.com",
        "intent://x",
        "about:blank",
        "ws://example.com",
        "httpx://example.com",
        "example.com",
        "//example.com",
        "",
    ] {
        assert_eq!(refused(url), Refusal::Scheme, "{url}");
    }
}

#[test]
fn whatever_is_not_plainly_written_is_not_opened() {
    for url in [
        "http:example.com",
        "http:/example.com",
        "http://",
        "http:///example.com",
        "http://exa mple.com",
        "http://example.com\\@127.0.0.1",
        "http:\\\\127.0.0.1",
        "http://example.com\t",
        "ht\ntp://example.com",
        "http://exam%70le.com",
        "http://%31%32%37.0.0.1",
        "http://ⓛocalhost",
        "http://127。0。0。1",
        "http://2130706433",
        "http://0x7f000001",
        "http://0x7f.1",
        "http://0177.0.0.1",
        "http://127.1",
        "http://127.0.1",
        "http://127.0.0.1.5",
        "http://1.2.3.4.5",
        "http://017700000001",
        "http://example.com:",
        "http://example.com:0",
        "http://example.com:65536",
        "http://example.com:+80",
        "http://example.com:80:80",
        "http://[::1",
        "http://[::1]x",
        "http://[fe80::1%25eth0]",
        "http://a..b",
        "http://.example.com",
    ] {
        let found = refused(url);
        assert!(matches!(found, Refusal::Unclear(_)), "{url}: {found}");
    }
}

#[test]
fn a_user_name_misleads_and_is_not_opened() {
    for url in
        ["http://a@example.com", "http://example.com@127.0.0.1", "https://a:b@c", "http://@example.com"]
    {
        assert_eq!(refused(url), Refusal::UserInfo, "{url}");
    }
}

#[test]
fn this_machine_and_its_neighbourhood_are_not_opened() {
    for host in [
        "127.0.0.1",
        "127.255.255.254",
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "10.255.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.0.1",
        "169.254.169.254",
        "169.254.0.1",
        "100.64.0.1",
        "100.127.255.255",
        "192.0.0.1",
        "192.0.2.1",
        "198.18.0.1",
        "198.51.100.7",
        "203.0.113.7",
        "224.0.0.1",
        "239.1.1.1",
        "240.0.0.1",
        "255.255.255.255",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:10.0.0.1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b::a9fe:a9fe]",
        "[2002:7f00:1::]",
        "[2002:a00:1::1]",
        "[fe80::1]",
        "[fec0::1]",
        "[fc00::1]",
        "[fd00:ec2::254]",
        "[ff02::1]",
        "[2001:db8::1]",
        "[2001::1]",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "printer",
        "printer.local",
        "router.lan",
        "metadata.google.internal",
        "db.internal",
        "x.localdomain",
        "nas.home.arpa",
        "wiki.intranet",
    ] {
        let found = refused(&format!("http://{host}/"));
        assert!(matches!(found, Refusal::NotPublic(_)), "{host}: {found}");
    }
    for host in [
        "172.15.0.1",
        "172.32.0.1",
        "100.63.0.1",
        "100.128.0.1",
        "11.0.0.1",
        "169.253.0.1",
        "[2002:5db8:d822::1]",
    ] {
        assert!(Reach::public().check(&format!("http://{host}/")).is_ok(), "{host}");
    }
}

#[test]
fn a_list_opens_exactly_what_is_on_it() {
    let reach = Reach::only(["http://127.0.0.1:8080", "https://app.example.com/"]).unwrap();
    for url in ["http://127.0.0.1:8080/x", "https://app.example.com", "https://APP.example.com:443/"] {
        assert!(reach.check(url).is_ok(), "{url}");
    }
    for url in [
        "http://127.0.0.1:8081/",
        "https://127.0.0.1:8080/",
        "http://127.0.0.1/",
        "http://app.example.com/",
        "https://app.example.com.evil.test/",
        "https://evil.test/?https://app.example.com",
        "https://example.com/",
    ] {
        assert!(matches!(reach.check(url), Err(Refusal::NotListed(_))), "{url}");
    }
    let both = Reach::only(["http://127.0.0.1:8080", "public"]).unwrap();
    assert!(both.check("https://example.com/").is_ok());
    assert!(matches!(both.check("http://127.0.0.1:8081/"), Err(Refusal::NotPublic(_))));
    for entry in ["example.com", "*", "http://a/path", "ftp://a", "http://user@a.test"] {
        assert!(Reach::only([entry]).is_err(), "{entry}");
    }
}

#[test]
fn a_name_is_judged_by_the_number_that_it_stands_for() {
    let reach = Reach::public();
    let origin = reach.check("http://rebound.example.com/").unwrap();
    assert!(reach.check_ip(&origin, "93.184.216.34".parse().unwrap()).is_ok());
    for number in ["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "::ffff:192.168.0.1"] {
        assert!(reach.check_ip(&origin, number.parse().unwrap()).is_err(), "{number}");
    }
    let listed = Reach::only(["http://rebound.example.com"]).unwrap();
    assert!(listed.check_ip(&origin, "10.1.2.3".parse().unwrap()).is_ok(), "the operator said so");
}

#[test]
fn a_tunnel_is_judged_by_host_and_port() {
    let reach = Reach::only(["http://127.0.0.1:8080", "https://app.example.com"]).unwrap();
    assert!(reach.check_tunnel("127.0.0.1:8080").is_ok(), "a socket to a listed origin");
    assert!(reach.check_tunnel("app.example.com:443").is_ok());
    for authority in ["127.0.0.1:22", "app.example.com:22", "169.254.169.254:80", "a@app.example.com:443"] {
        assert!(reach.check_tunnel(authority).is_err(), "{authority}");
    }
}

#[test]
fn no_list_opens_a_socket_of_ours() {
    let ours: SocketAddr = "127.0.0.1:7311".parse().unwrap();
    let origins = [
        "http://127.0.0.1:7311",
        "http://localhost:7311",
        "http://[::1]:7311",
        "http://0.0.0.0:7311",
        "public",
    ];
    let reach = Reach::only(origins).unwrap().without(ours);
    for url in [
        "http://127.0.0.1:7311/",
        "https://127.0.0.1:7311/",
        "http://[::1]:7311/",
        "http://0.0.0.0:7311/",
        "http://[::]:7311/",
        "http://127.9.9.9:7311/",
        "http://[::ffff:127.0.0.1]:7311/",
    ] {
        assert!(matches!(reach.check(url), Err(Refusal::Ours(_))), "{url}");
    }
    // A name is judged by what it stands for when the connection is made.
    let name = reach.check("http://localhost:7311/").unwrap();
    for ip in ["127.0.0.1", "::1", "0.0.0.0"] {
        assert!(matches!(reach.check_ip(&name, ip.parse().unwrap()), Err(Refusal::Ours(_))), "{ip}");
    }
    assert!(matches!(reach.check_tunnel("127.0.0.1:7311"), Err(Refusal::Ours(_))));
    let neighbour = Reach::only(["http://127.0.0.1:7312"]).unwrap().without(ours);
    assert!(neighbour.check("http://127.0.0.1:7312/").is_ok(), "another port is another server");
    let everywhere =
        Reach::only(["http://192.168.1.7:7311"]).unwrap().without("0.0.0.0:7311".parse().unwrap());
    assert!(matches!(everywhere.check("http://192.168.1.7:7311/"), Err(Refusal::Ours(_))));
}

#[test]
fn this_machine_is_reached_under_its_own_names_only_and_never_at_our_own_sockets() {
    let reach = Reach::public().and_this_machine();
    for url in
        ["http://127.0.0.1:3000/", "http://localhost:3000/", "http://app.localhost/", "http://[::1]:8080/"]
    {
        assert!(reach.check(url).is_ok(), "{url}");
        assert!(Reach::public().check(url).is_err(), "{url}");
    }
    for url in ["http://192.168.0.1/", "http://10.0.0.1/", "http://169.254.169.254/", "http://router.lan/"] {
        assert!(reach.check(url).is_err(), "{url}");
    }
    let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let trick = Origin::of("http://rebound.example.com:3000/").unwrap();
    assert!(reach.check_ip(&trick, here).is_err(), "a public name that stands for this machine");
    assert!(reach.check_ip(&Origin::of("http://localhost:3000/").unwrap(), here).is_ok());
    assert!(reach.check_tunnel("localhost:3000").is_ok());
    let copy = reach.clone();
    copy.close(SocketAddr::from(([127, 0, 0, 1], 3000)));
    assert!(matches!(reach.check("http://127.0.0.1:3000/"), Err(Refusal::Ours(_))));
}
