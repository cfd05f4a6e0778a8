// Package schema is Visite's vocabulary: the things it speaks of (sites, scans,
// pages, findings, links, profiles) and the rules that need nothing but the
// values themselves. It does no I/O and reads no clock; every other package may
// import it and it imports none of ours.
package schema
