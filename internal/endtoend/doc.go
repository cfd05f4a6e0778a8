// Package endtoend holds tests of the whole: the real program as worker and
// API, a real PostgreSQL, Temporal server and Chromium, and a fixture site that
// logs who came when. Nothing here ships.
package endtoend
