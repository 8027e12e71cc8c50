//! The DevTools pipe: JSON messages, each ended by a NUL byte.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use super::{Frame, MESSAGE_LIMIT};

const READ_CHUNK: usize = 64 << 10;
/// From this size on a message takes over the read buffer instead of being copied out of it.
const MOVE_FROM: usize = 64 << 10;
/// Enough of a skipped message to see which call it answers.
const HEAD: usize = 64;

pub(crate) struct PipeSource<R> {
    reader: R,
    buffer: Vec<u8>,
    start: usize,
    scanned: usize,
    limit: usize,
    skipping: Option<Vec<u8>>,
}

impl<R: AsyncRead + Unpin> PipeSource<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self::with_limit(reader, MESSAGE_LIMIT)
    }

    pub(crate) fn with_limit(reader: R, limit: usize) -> Self {
        Self { reader, buffer: Vec::new(), start: 0, scanned: 0, limit, skipping: None }
    }

    pub(crate) async fn next(&mut self) -> io::Result<Frame> {
        loop {
            if let Some(frame) = self.buffered() {
                return Ok(frame);
            }
            self.make_room();
            if self.reader.read_buf(&mut self.buffer).await? == 0 {
                return Ok(Frame::End);
            }
        }
    }

    /// Waits for the beginning of a message.
    #[cfg(test)]
    pub(crate) async fn next_is_coming(&mut self) {
        self.make_room();
        self.reader.read_buf(&mut self.buffer).await.unwrap();
    }

    fn buffered(&mut self) -> Option<Frame> {
        let unseen = self.buffer.get(self.scanned..)?;
        let Some(offset) = memchr::memchr(0, unseen) else {
            self.scanned = self.buffer.len();
            self.skip_overlong();
            return None;
        };
        let end = self.scanned + offset;
        let message = self.take(end);
        Some(match self.skipping.take() {
            Some(head) => Frame::TooLarge(head),
            None => Frame::Message(message),
        })
    }

    /// Removes the message before `end` and the NUL at `end`.
    fn take(&mut self, end: usize) -> Vec<u8> {
        if end - self.start < MOVE_FROM {
            let message = self.buffer.get(self.start..end).unwrap_or_default().to_vec();
            self.start = end + 1;
            self.scanned = self.start;
            return message;
        }
        let rest = self.buffer.split_off(end + 1);
        let mut message = std::mem::replace(&mut self.buffer, rest);
        message.truncate(end);
        message.drain(..self.start);
        self.start = 0;
        self.scanned = 0;
        message
    }

    fn skip_overlong(&mut self) {
        let pending = self.buffer.len() - self.start;
        if pending <= self.limit && self.skipping.is_none() {
            return;
        }
        if self.skipping.is_none() {
            self.skipping = self.buffer.get(self.start..self.start + HEAD.min(pending)).map(<[u8]>::to_vec);
            self.buffer = Vec::new();
        }
        self.buffer.clear();
        self.start = 0;
        self.scanned = 0;
    }

    fn make_room(&mut self) {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.scanned -= self.start;
            self.start = 0;
        }
        self.buffer.reserve(READ_CHUNK);
    }
}

pub(crate) struct PipeSink<W> {
    writer: W,
    batch: Vec<u8>,
}

impl<W: AsyncWrite + Unpin> PipeSink<W> {
    pub(crate) fn new(writer: W) -> Self {
        Self { writer, batch: Vec::new() }
    }

    /// Small messages share one write; a big one is not copied again.
    pub(crate) async fn send(&mut self, messages: Vec<Vec<u8>>) -> io::Result<()> {
        for mut message in messages {
            message.push(0);
            if message.len() < MOVE_FROM && self.batch.len() < MOVE_FROM {
                self.batch.extend_from_slice(&message);
                continue;
            }
            self.flush_batch().await?;
            self.writer.write_all(&message).await?;
        }
        self.flush_batch().await
    }

    async fn flush_batch(&mut self) -> io::Result<()> {
        if !self.batch.is_empty() {
            self.writer.write_all(&self.batch).await?;
            self.batch.clear();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read_all(input: &[u8], limit: usize) -> Vec<String> {
        let (mut write, read) = tokio::io::duplex(7);
        let input = input.to_vec();
        let writer = tokio::spawn(async move { write.write_all(&input).await });
        let mut source = PipeSource::with_limit(read, limit);
        let mut frames = Vec::new();
        loop {
            match source.next().await.unwrap() {
                Frame::Message(message) => frames.push(String::from_utf8(message).unwrap()),
                Frame::TooLarge(head) => {
                    frames.push(format!("too large: {}", String::from_utf8(head).unwrap()));
                }
                Frame::End => break,
            }
        }
        writer.await.unwrap().unwrap();
        frames
    }

    #[tokio::test]
    async fn messages_are_split_at_nul_however_they_arrive() {
        assert_eq!(
            read_all(b"one\0two\0\0a longer message\0", 100).await,
            ["one", "two", "", "a longer message"]
        );
    }

    #[tokio::test]
    async fn an_unfinished_message_at_the_end_is_not_a_message() {
        assert_eq!(read_all(b"one\0half", 100).await, ["one"]);
    }

    #[tokio::test]
    async fn an_overlong_message_is_skipped_and_the_next_one_arrives() {
        let long = format!("ok\0{}\0after\0", "x".repeat(200));
        let frames = read_all(long.as_bytes(), 20).await;
        assert_eq!(frames.len(), 3);
        assert_eq!((frames[0].as_str(), frames[2].as_str()), ("ok", "after"));
        assert!(frames[1].starts_with("too large: xxx"), "{frames:?}");
    }

    #[tokio::test]
    async fn big_and_small_messages_keep_their_order() {
        let big = "b".repeat(3 * MOVE_FROM);
        let (write, read) = tokio::io::duplex(1 << 20);
        let messages = ["s1", &big, "s2", "s3", &big, "s4"];
        PipeSink::new(write)
            .send(messages.iter().map(|text| text.as_bytes().to_vec()).collect())
            .await
            .unwrap();
        let mut source = PipeSource::new(read);
        for expected in messages {
            let Frame::Message(message) = source.next().await.unwrap() else { panic!("no message") };
            assert_eq!(message, expected.as_bytes());
        }
    }
}
