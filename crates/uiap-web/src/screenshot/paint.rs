//! Painting on a picture: covers over what must not be seen, and boxes with labels.

use std::io::Cursor;

/// A rectangle in pixels of the picture; it may lie outside of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

/// A picture of eight bits per channel.
#[derive(Debug)]
pub(super) struct Picture {
    pub(super) width: usize,
    pub(super) height: usize,
    channels: usize,
    pixels: Vec<u8>,
}

/// Why a picture could not be read or written.
#[derive(Debug, thiserror::Error)]
pub(super) enum PictureError {
    #[error("the picture cannot be read: {0}")]
    Read(#[from] png::DecodingError),
    #[error("the picture cannot be written: {0}")]
    Write(#[from] png::EncodingError),
    #[error("the picture has an unexpected form")]
    Form,
}

const COVER: [u8; 3] = [40, 40, 46];
const FRAMES: [[u8; 3]; 4] = [[214, 39, 40], [31, 119, 180], [44, 130, 44], [148, 60, 180]];
/// Side of a dot of a letter.
const DOT: i64 = 2;

impl Picture {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, PictureError> {
        let mut decoder = png::Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info()?;
        let mut pixels = vec![0; reader.output_buffer_size().ok_or(PictureError::Form)?];
        let info = reader.next_frame(&mut pixels)?;
        let channels = info.color_type.samples();
        let (width, height) = (info.width as usize, info.height as usize);
        pixels.truncate(info.buffer_size());
        if !matches!(channels, 3 | 4) || pixels.len() != width * height * channels {
            return Err(PictureError::Form);
        }
        Ok(Self { width, height, channels, pixels })
    }

    pub(super) fn write(&self) -> Result<Vec<u8>, PictureError> {
        let mut bytes = Vec::new();
        let size = |side: usize| u32::try_from(side).map_err(|_| PictureError::Form);
        let mut encoder = png::Encoder::new(&mut bytes, size(self.width)?, size(self.height)?);
        encoder.set_color(if self.channels == 4 { png::ColorType::Rgba } else { png::ColorType::Rgb });
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        encoder.write_header()?.write_image_data(&self.pixels)?;
        Ok(bytes)
    }

    /// Covers an area, and a pixel more on each side: edges are blurred.
    pub(super) fn cover(&mut self, area: Area) {
        let (left, top, right, bottom) = outer(area);
        self.fill(left - 1, top - 1, right + 1, bottom + 1, COVER);
    }

    /// Draws a frame around an area, with a label at its upper left corner.
    pub(super) fn mark(&mut self, area: Area, label: &str, at: usize) {
        let colour = FRAMES.get(at % FRAMES.len()).copied().unwrap_or(COVER);
        let (left, top, right, bottom) = outer(area);
        for (x0, y0, x1, y1) in [
            (left, top, right, top + 2),
            (left, bottom - 2, right, bottom),
            (left, top, left + 2, bottom),
            (right - 2, top, right, bottom),
        ] {
            self.fill(x0, y0, x1, y1, colour);
        }
        self.label(left, top, label, colour);
    }

    fn label(&mut self, left: i64, top: i64, label: &str, colour: [u8; 3]) {
        let letters: Vec<_> = label.chars().take(12).map(glyph).collect();
        let (width, height) = (to_i64(letters.len()) * 4 * DOT + DOT, 7 * DOT);
        // Within the picture, whatever the box does.
        let left = left.clamp(0, (to_i64(self.width) - width).max(0));
        let top = (top - height).clamp(0, (to_i64(self.height) - height).max(0));
        self.fill(left, top, left + width, top + height, colour);
        for (at, letter) in letters.iter().enumerate() {
            for dot in 0..15_i64 {
                if letter >> (14 - dot) & 1 == 1 {
                    let x = left + DOT + (to_i64(at) * 4 + dot % 3) * DOT;
                    let y = top + (1 + dot / 3) * DOT;
                    self.fill(x, y, x + DOT, y + DOT, [255, 255, 255]);
                }
            }
        }
    }

    fn fill(&mut self, left: i64, top: i64, right: i64, bottom: i64, colour: [u8; 3]) {
        let within = |value: i64, most: usize| usize::try_from(value.max(0)).unwrap_or(0).min(most);
        let (x0, x1) = (within(left, self.width), within(right, self.width));
        let (y0, y1) = (within(top, self.height), within(bottom, self.height));
        if x0 >= x1 {
            return;
        }
        for row in
            self.pixels.chunks_exact_mut(self.width * self.channels).skip(y0).take(y1.saturating_sub(y0))
        {
            for pixel in row.chunks_exact_mut(self.channels).skip(x0).take(x1 - x0) {
                for (channel, value) in pixel.iter_mut().zip(colour.into_iter().chain([255])) {
                    *channel = value;
                }
            }
        }
    }
}

fn to_i64(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// The pixels that an area touches.
fn outer(area: Area) -> (i64, i64, i64, i64) {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cast of a float to an integer stays within its bounds"
    )]
    let whole = |value: f64| value as i64;
    (whole(area.left.floor()), whole(area.top.floor()), whole(area.right.ceil()), whole(area.bottom.ceil()))
}

/// Three by five dots, row by row.
fn glyph(letter: char) -> u16 {
    const DIGITS: [u16; 10] = [
        0b111_101_101_101_111,
        0b010_110_010_010_111,
        0b111_001_111_100_111,
        0b111_001_111_001_111,
        0b101_101_111_001_001,
        0b111_100_111_001_111,
        0b111_100_111_101_111,
        0b111_001_001_010_010,
        0b111_101_111_101_111,
        0b111_101_111_001_111,
    ];
    const LETTERS: [u16; 26] = [
        0b010_101_111_101_101,
        0b110_101_110_101_110,
        0b011_100_100_100_011,
        0b110_101_101_101_110,
        0b111_100_110_100_111,
        0b111_100_110_100_100,
        0b011_100_101_101_011,
        0b101_101_111_101_101,
        0b111_010_010_010_111,
        0b001_001_001_101_010,
        0b101_110_100_110_101,
        0b100_100_100_100_111,
        0b101_111_111_101_101,
        0b110_101_101_101_101,
        0b010_101_101_101_010,
        0b110_101_110_100_100,
        0b010_101_101_111_011,
        0b110_101_110_101_101,
        0b011_100_010_001_110,
        0b111_010_010_010_010,
        0b101_101_101_101_111,
        0b101_101_101_101_010,
        0b101_101_111_111_101,
        0b101_101_010_101_101,
        0b101_101_010_010_010,
        0b111_001_010_100_111,
    ];
    let lower = letter.to_ascii_lowercase();
    let index = |first: char| (lower as usize).wrapping_sub(first as usize);
    DIGITS.get(index('0')).or_else(|| LETTERS.get(index('a'))).copied().unwrap_or(0b000_000_111_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn white(width: usize, height: usize) -> Picture {
        Picture { width, height, channels: 4, pixels: vec![255; width * height * 4] }
    }

    fn pixel(picture: &Picture, x: usize, y: usize) -> &[u8] {
        &picture.pixels[(y * picture.width + x) * 4..][..3]
    }

    #[test]
    fn a_cover_covers_every_pixel_that_it_touches_and_survives_the_file() {
        let mut picture = white(20, 10);
        picture.cover(Area { left: 4.6, top: 2.0, right: 9.2, bottom: 100.0 });
        let picture = Picture::read(&picture.write().unwrap()).unwrap();
        for (x, y, covered) in
            [(3, 5, true), (10, 9, true), (2, 5, false), (11, 5, false), (5, 0, false), (5, 1, true)]
        {
            assert_eq!(pixel(&picture, x, y) == COVER, covered, "{x},{y}");
        }
    }

    #[test]
    fn nothing_outside_of_the_picture_is_painted() {
        let mut picture = white(30, 20);
        for (left, top) in [(-1e9, -1e9), (25.0, 15.0), (1e9, 1e9), (f64::NAN, 3.0)] {
            let area = Area { left, top, right: left + 10.0, bottom: top + 10.0 };
            picture.cover(area);
            picture.mark(area, "e12f", 3);
        }
        assert_eq!(picture.pixels.len(), 30 * 20 * 4);
    }

    #[test]
    fn every_letter_looks_different() {
        let mut seen: Vec<_> = "0123456789abcdefghijklmnpqrstuvwxyz".chars().map(glyph).collect();
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert!(seen.len() >= count - 1, "only 5 and s may look alike");
    }
}
