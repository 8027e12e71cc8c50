//! Packages in archives: the same bundle as from a folder, and nothing that an archive should not do.

use std::io::Write;
use std::process::Command;

use uiap_authoring::build::{BuildOptions, build};
use uiap_authoring::files::{ArchiveError, ArchiveSource, NoRegistry};
use uiap_authoring::source::Limits;

use crate::support::{ELEMENT, Pkg, Stopwatch};

/// One entry of a tar.
fn entry(name: &str, kind: u8, body: &[u8]) -> Vec<u8> {
    sized(name, kind, body, body.len() as u64)
}

fn sized(name: &str, kind: u8, body: &[u8], size: u64) -> Vec<u8> {
    let mut block = vec![0; 512];
    block[..name.len()].copy_from_slice(name.as_bytes());
    block[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    block[156] = kind;
    block[257..265].copy_from_slice(b"ustar\x0000");
    block[148..156].fill(b' ');
    let sum: u64 = block.iter().map(|byte| u64::from(*byte)).sum();
    block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    block.extend_from_slice(body);
    block.resize(block.len().next_multiple_of(512), 0);
    block
}

fn tar(entries: &[Vec<u8>]) -> Vec<u8> {
    [entries.concat(), vec![0; 1024]].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn open(bytes: &[u8]) -> Result<ArchiveSource, ArchiveError> {
    ArchiveSource::read(bytes, "pkg.tar", &Limits::DEFAULT)
}

fn package() -> Pkg {
    Pkg::new().with("b", "Bindings", ELEMENT)
}

fn entries(folder: &str) -> Vec<Vec<u8>> {
    let source = package().source();
    source.iter().map(|(path, bytes)| entry(&format!("{folder}{path}"), b'0', bytes)).collect()
}

#[test]
fn an_archive_builds_what_its_folder_builds() {
    let expected = package().build().bundle.unwrap();
    for folder in ["", "./", "demo-0.1.0/"] {
        let plain = tar(&entries(folder));
        for bytes in [gzip(&plain), plain] {
            let source = open(&bytes).unwrap();
            let built = build(&source, &NoRegistry, &BuildOptions::default());
            assert_eq!(built.bundle, Some(expected.clone()), "{folder}");
        }
    }
}

/// What people really make: `tar czf`.
#[test]
fn archives_of_the_usual_tool_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let deep = "a-rather-long-folder-name-that-does-not-fit-into-a-header/".repeat(3);
    std::fs::create_dir_all(folder.path().join("p").join(&deep)).unwrap();
    for (path, bytes) in package().source().iter() {
        std::fs::write(folder.path().join("p").join(path), bytes).unwrap();
    }
    std::fs::write(folder.path().join("p").join(&deep).join("x.uiap.yaml"), "a: 1\n").unwrap();
    for format in ["gnu", "pax", "ustar"] {
        let status = Command::new("tar")
            .args(["-czf", "p.tgz", &format!("--format={format}"), "-C", "p", "."])
            .current_dir(folder.path())
            .status()
            .unwrap();
        assert!(status.success());
        let source = ArchiveSource::open(&folder.path().join("p.tgz"), &Limits::DEFAULT).unwrap();
        let built = build(&source, &NoRegistry, &BuildOptions::default());
        assert_eq!(built.bundle, package().build().bundle, "{format}");
        let listed = uiap_authoring::files::PackageSource::list(&source);
        assert!(listed.contains(&format!("{deep}x.uiap.yaml")), "{format}: {listed:?}");
    }
}

/// Case: AUTH-027
#[test]
fn nothing_in_an_archive_reaches_outside_of_it() {
    for name in ["../evil.uiap.yaml", "/etc/passwd", "a/../../b", "C:\\x", "a\\b"] {
        let found = open(&tar(&[entry(name, b'0', b"a: 1")]));
        assert!(matches!(found, Err(ArchiveError::Path { .. })), "{name}: {found:?}");
        let long = open(&tar(&[entry("././@LongLink", b'L', name.as_bytes()), entry("x", b'0', b"a: 1")]));
        assert!(matches!(long, Err(ArchiveError::Path { .. })), "{name}: {long:?}");
        let record = format!("{} path={name}\n", name.len() + 9);
        let pax = open(&tar(&[entry("PaxHeader", b'x', record.as_bytes()), entry("x", b'0', b"a: 1")]));
        assert!(matches!(pax, Err(ArchiveError::Path { .. })), "{name}: {pax:?}");
    }
    for kind in *b"123467" {
        let found = open(&tar(&[entry("a.uiap.yaml", kind, b"")]));
        assert_eq!(found.is_err(), kind != b'7', "type {}", char::from(kind));
    }
    let twice = [entry("a.uiap.yaml", b'0', b"a: 1"), entry("./a.uiap.yaml", b'0', b"a: 2")];
    assert!(matches!(open(&tar(&twice)), Err(ArchiveError::Twice(_))));
}

#[test]
fn archives_that_swell_or_lie_are_refused_at_once() {
    let start = Stopwatch::start();
    let huge = sized("a.uiap.yaml", b'0', b"", 1 << 32);
    assert!(matches!(open(&tar(&[huge])), Err(ArchiveError::TooLarge(_))));
    let short = sized("a.uiap.yaml", b'0', b"", 1 << 20);
    assert!(matches!(open(&short), Err(ArchiveError::NotATar(_))));
    let limits = Limits { max_bytes: 1 << 16, ..Limits::DEFAULT };
    let bomb = gzip(&tar(&[entry("a.uiap.yaml", b'0', &vec![b' '; 1 << 22])]));
    assert!(bomb.len() < 1 << 16);
    let found = ArchiveSource::read(bomb.as_slice(), "bomb", &limits);
    assert!(matches!(found, Err(ArchiveError::TooLarge(_))), "{found:?}");
    for bytes in [&b""[..], b"x", b"not a tar at all", &[0x1F, 0x8B, 8, 0], &[0x1F, 0x8B], &[7; 512]] {
        assert!(open(bytes).is_err(), "{bytes:?}");
    }
    let mut damaged = tar(&entries(""));
    damaged[3] ^= 1;
    assert!(matches!(open(&damaged), Err(ArchiveError::NotATar(_))));
    assert!(start.elapsed().as_secs() < 5);
}
