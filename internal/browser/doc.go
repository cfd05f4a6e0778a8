// Package browser drives Chromium: one browser process, one browser context a
// scan whose only way out is the proxy it is given, one tab a visit.
package browser
