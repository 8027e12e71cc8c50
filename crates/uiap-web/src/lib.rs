//! Surface for Chromium: what a page shows, as a PageGraph.
