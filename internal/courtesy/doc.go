// Package courtesy is the door: the only way out to visited sites, for the
// http engine and for Chromium alike. It asks whether we may (robots.txt), when
// (pace, turns, parked hosts), as whom (the profile's identity) and where to
// (the address guard), and writes each request into the ledger before it
// leaves.
//
// Enter gives a Pass for one visit. The http engine sends through
// Pass.RoundTrip; Chromium's traffic comes in at Pass.ProxyAddr. Both end in one
// function (Pass.send), and nothing else in the product reaches a visited site.
//
// What must hold over all workers is kept by the Store (PostgreSQL); what this
// package remembers by itself only saves it from asking.
package courtesy
