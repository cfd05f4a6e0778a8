// Package pgcluster keeps a private PostgreSQL server: it makes the cluster's
// folder, starts the server as a child of this process, and stops it. The local
// stack uses a lasting one, tests a throw-away one.
package pgcluster
