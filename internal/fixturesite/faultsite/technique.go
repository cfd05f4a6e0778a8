package faultsite

import "strings"

// technique: how pages are written and sent, and where they lead.
func technique() []change {
	link := func(href string) string { return `<p><a href="` + href + `">The other page</a></p>` + "\n" }
	return []change{
		{faults: []string{"doctype-missing"}, replace: []string{"<!doctype html>\n", ""}},
		{faults: []string{"charset-missing"}, header: map[string]string{"Content-Type": "text/html"}, body: "<p>Café at the quay</p>\n", replace: []string{`<meta charset="utf-8">`, ""}},
		{faults: []string{"charset-late"}, header: map[string]string{"Content-Type": "text/html"}, replace: []string{`<meta charset="utf-8">`, "<!-- " + strings.Repeat("built by the club ", 70) + `--><meta charset="utf-8">`}},
		{faults: []string{"charset-mixed"}, replace: []string{`<meta charset="utf-8">`, `<meta charset="iso-8859-1">`}},
		{faults: []string{"charset-unknown"}, header: map[string]string{"Content-Type": "text/html; charset=klingon"}},
		{faults: []string{"script-errors"}, end: `<script src="/js/error.js"></script>` + "\n"},
		{faults: []string{"file-missing"}, body: `<p><img src="/images/gone.png" alt="A boat" width="40" height="30"></p>` + "\n"},
		{faults: []string{"document-large"}, end: "<!-- " + strings.Repeat("kept for later ", 40_000) + "-->\n"},
		{faults: []string{"link-empty"}, body: link("")},
		{faults: []string{"link-script"}, body: link("javascript:void(0)")},
		{faults: []string{"link-missing-scheme"}, body: link("www.harbour.example")},
		{faults: []string{"link-double-escaped"}, body: link("/imprint?a=1&amp;amp;b=2")},
		{faults: []string{"link-invalid"}, body: link("http://[harbour")},
		{faults: []string{"link-broken"}, body: link("/gone/page")},
		{faults: []string{"link-to-redirect"}, body: link("/moved")},
		{faults: []string{"redirect-chain"}, body: link("/chain/1")},
	}
}
