//! Pictures: the right part of the page, with marks, and without secrets.

use uiap_web::Page;
use uiap_web::screenshot::{Format, Mark, Screenshot, ScreenshotError, Shot, Subject, take};

use crate::input::id_of;
use crate::shared::{page, run};
use crate::signal_site::Site;

/// Width, height and the colour of some points of a PNG.
fn look(shot: &Screenshot, points: &[(usize, usize)]) -> (u32, u32, Vec<[u8; 3]>) {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(&shot.bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let channels = info.color_type.samples();
    let colour = |&(x, y): &(usize, usize)| {
        let at = (y * info.width as usize + x) * channels;
        <[u8; 3]>::try_from(pixels.get(at..at + 3).unwrap()).unwrap()
    };
    (info.width, info.height, points.iter().map(colour).collect())
}

const RED: [u8; 3] = [255, 0, 0];
const WHITE: [u8; 3] = [255, 255, 255];
const COVER: [u8; 3] = [40, 40, 46];

async fn red_box() -> Page {
    page(
        "<body style='margin:0;background:#fff;height:3000px'><button aria-label=Box style='position:absolute;left:100px;top:2000px;width:60px;height:40px;background:red;border:0'></button>
         <button aria-label=Top style='position:absolute;left:10px;top:30px;width:50px;height:20px;background:red;border:0'></button>",
    )
    .await
}

#[test]
fn the_window_the_whole_page_and_one_element_are_pictured() {
    run(async {
        let page = red_box().await;
        let window = take(&page, &Shot::default()).await.unwrap();
        let (width, height, colours) = look(&window, &[(30, 40), (5, 5)]);
        assert_eq!((f64::from(width), f64::from(height)), (window.area[2], window.area[3]));
        assert_eq!(colours, [RED, WHITE]);
        let full = take(&page, &Shot { subject: Subject::FullPage, ..Shot::default() }).await.unwrap();
        assert_eq!(look(&full, &[(130, 2020), (30, 40)]).2, [RED, RED]);
        let element = Subject::Element(id_of(&page, "Box").await);
        let shot = take(&page, &Shot { subject: element.clone(), ..Shot::default() }).await.unwrap();
        assert_eq!(look(&shot, &[(1, 1), (58, 38)]), (60, 40, vec![RED, RED]));
        assert_eq!(format!("{:?}", shot.area), "[100.0, 2000.0, 60.0, 40.0]");
        let small =
            take(&page, &Shot { subject: element, max_pixels: 600.0, ..Shot::default() }).await.unwrap();
        assert!(small.reduced && look(&small, &[]).0 == 30, "{:?}", look(&small, &[]));
        let jpeg = take(&page, &Shot { format: Format::Jpeg(60), ..Shot::default() }).await.unwrap();
        assert!(jpeg.bytes.starts_with(&[0xff, 0xd8, 0xff]) && jpeg.format == Format::Jpeg(60));
    });
}

#[test]
fn marks_frame_their_elements() {
    run(async {
        let page = red_box().await;
        let marks = vec![
            Mark { element: id_of(&page, "Top").await, label: "e1".into() },
            Mark { element: id_of(&page, "Box").await, label: "e2".into() },
        ];
        let shot = take(&page, &Shot { marks, ..Shot::default() }).await.unwrap();
        assert_eq!(shot.marked, 1, "the other one is out of sight");
        let (_, _, colours) = look(&shot, &[(10, 30), (59, 49), (30, 40), (10, 20)]);
        assert_eq!(colours, [[214, 39, 40], [214, 39, 40], RED, [214, 39, 40]]);
    });
}

/// Requirement: WEB-R7-01
#[test]
fn secrets_and_what_nobody_can_judge_are_covered() {
    run(async {
        let site = Site::with(&[("/frame", "<body style='background:red'>")]).await;
        let field = "position:absolute;left:10px;width:100px;height:30px;border:0;background:red";
        let page = page(&format!(
            "<body style='margin:0;background:#fff'><input type=password value=secret style='{field};top:10px'><input value=open aria-label=Open style='{field};top:60px'>
             <iframe src='{}' style='position:absolute;left:10px;top:110px;width:100px;height:30px;border:0'></iframe>
             <iframe style='position:absolute;left:200px;top:10px;width:150px;height:80px;border:0' srcdoc=\"<body style='margin:0'><input type=password style='{field};top:20px'>\"></iframe>",
            site.foreign("/frame")
        ))
        .await;
        let points = [(11, 11), (108, 38), (60, 62), (60, 125), (212, 32), (205, 15)];
        let shot = take(&page, &Shot { format: Format::Jpeg(90), ..Shot::default() }).await.unwrap();
        assert_eq!(shot.format, Format::Png, "what was painted on is exact");
        assert_eq!(look(&shot, &points).2, [COVER, COVER, RED, COVER, COVER, WHITE]);
        assert_eq!(shot.covered, 3);
        let bare = Shot { cover_secrets: false, cover_opaque: false, ..Shot::default() };
        let shot = take(&page, &bare).await.unwrap();
        assert_eq!(look(&shot, &points[..2]).2, [RED, RED]);
    });
}

#[test]
fn what_has_no_box_gives_no_picture() {
    run(async {
        let page = page("<button>Seen</button><button style='display:none'>Hidden</button>").await;
        let subject = Subject::Element(id_of(&page, "Hidden").await);
        let error = take(&page, &Shot { subject, ..Shot::default() }).await.unwrap_err();
        assert!(matches!(error, ScreenshotError::NoBox(_)), "{error}");
        let error = take(&page, &Shot { scale: f64::NAN, ..Shot::default() }).await.unwrap_err();
        assert!(matches!(error, ScreenshotError::OutOfRange("scale")), "{error}");
    });
}
