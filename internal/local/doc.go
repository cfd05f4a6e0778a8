// Package local runs the embedded stack: a private PostgreSQL cluster, the
// Temporal dev server with its Web UI, the worker and the API, each a child
// process of one `visite up`, under one data folder. It is also where adapters
// are wired to the steps that need them, for `visite worker` and `visite api`
// alike, so that the local stack and a deployment are made of the same parts.
package local
