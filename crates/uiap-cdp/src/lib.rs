//! A thin DevTools client: launch or connect, sessions, typed calls.
