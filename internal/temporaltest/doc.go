// Package temporaltest gives tests a real Temporal server. Server, Namespace and
// Client share one in-memory dev server per test process and keep tests apart by
// namespace; Process is a server with a database file that a test may kill and
// start again. The children end with the test process, however that ends.
package temporaltest
