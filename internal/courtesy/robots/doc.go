// Package robots reads and applies robots.txt as RFC 9309 has it, with the
// contract's readings where the RFC leaves room (S-25 to S-31, S-46, S-47,
// C-16, C-52, R-01, R-03).
//
// A front of our own reads the lines, chooses and merges groups, brings rules
// and addresses into one normal form and gives the rules their precedence.
// github.com/temoto/robotstxt matches the rules without wildcards. Rules with
// `*` or `$` are matched here: the library turns them into regular expressions,
// which neither start at the first octet nor keep a hostile file cheap.
//
// Parse makes a File, File.For compiles the rules for a set of product tokens,
// Rules.Decide judges an address. Reader fetches the file.
package robots
