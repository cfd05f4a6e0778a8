// Package inspect judges pages: a page comes in, figures and findings go out. It
// is pure: no network, no clock, no storage. What it returns holds no running
// text of the page, only what the page says of itself (contract C-59, C-60) and
// where in the page something is amiss.
//
// Package dom builds the tree, page takes it apart, rule says what a rule is; the
// topics' folders hold the rules. Package site judges what can only be seen over
// the whole site.
package inspect
