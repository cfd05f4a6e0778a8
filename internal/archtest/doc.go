// Package archtest holds the rules of the house and a test that enforces them:
// which package may import which, where clocks, networks and SQL may be, how
// files are named and how long they may grow. Each check is a function from
// source to a list of breaches, so that tests can show that it fails.
package archtest
