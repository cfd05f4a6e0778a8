// Package activities is the steps of Visite's stories: each does one thing and
// asks the door first when that thing reaches a visited site. One struct per
// set of dependencies; methods are the steps; ports.go says what they need.
package activities
