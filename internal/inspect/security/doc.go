// Package security judges how well a site protects its visitors: what its
// answers tell browsers (policies, framing, cookies, integrity of files), and
// what it loads and sends without encryption. It also grades a site by the
// published scoring of Mozilla's HTTP Observatory.
//
// What is missing is told of deployed sites only: a page on a developer's machine
// stands behind none of the servers that will add it. What is there and wrong is
// told everywhere.
package security
