// Package browser drives Chromium: one browser process, one browser context a
// scan, whose only way out is the proxy it is given, and one tab a visit.
//
// A visit is one load of one document. What a page does by itself (dialogs,
// windows, prints, downloads, forms, moving on, reloading, working in the
// background) has an end of its own here, and none of it reaches the site: see
// navigation.go and scripts/src/guard.js. Everything has a deadline: each protocol
// call, each phase (limits), the visit. However we die, Chromium dies with us:
// see process.go.
//
// Our scripts run in isolated worlds, which pages neither see nor can tamper
// with. What the accessibility engine finds is cleaned of text before it leaves
// the page (scripts/src/axe.js); schema.AxeResults is its shape.
//
// Checks of our own follow the engine (check*.go, scripts/src/own): first those
// that only look, then those that press real keys and turn the screen. The latter
// may leave a page altered and are therefore the last thing done in it. They
// press no Enter and no Space, click nothing, and the tab is offline meanwhile:
// nothing a page would send because of them leaves the browser.
//
// Of go-rod the protocol layer is used (lib/cdp, lib/proto) over a pipe of our
// own; channel.go says why not its Browser and Page.
//
// The page scripts are bundled by scripts/bundle from what npm ci installed, and
// embedded; New fails with ErrNoScripts where a build lacks them.
package browser
