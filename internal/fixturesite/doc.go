// Package fixturesite serves small sites on loopback and writes down who came:
// the visited side of every test, and the bundled demo site.
//
// A site is a text archive (golang.org/x/tools/txtar). Each member is one
// address; what follows the address on the marker line are options:
//
//	-- / --
//	<!doctype html> ...
//	-- /old location=/new status=301 --
//	-- /gone status=410 type=text/html --
//	-- /slow delay=200ms header="X-Robots-Tag: noindex, nofollow" --
//	-- /list?page=2 --
//	-- /logo.png encoding=base64 --
//	iVBORw0KGgo...
//
// Options:
//
//	status=N          answer with N; 200 when absent, 302 when only location is given
//	type=T            Content-Type; by the address's ending when absent, text/html for none
//	location=L        Location header
//	delay=D           wait D (Go duration) before the answer
//	header="N: v"     one more header; may be repeated
//	encoding=base64   the member is base64
//	gzip              send the body with Content-Encoding: gzip
//
// A value with blanks is written as a Go string in double quotes. In text
// members and header values {{base}} stands for the scheme, host and port that
// the visitor used. An address with a query matches only that query; one
// without matches any. What no member and no handler answers is a plain 404.
//
// Behaviour that an archive cannot express (endless streams, dropped
// connections, refusals that end after a while ...) is an http.Handler put in
// with Site.Handle; the usual ones are functions of this package.
package fixturesite
