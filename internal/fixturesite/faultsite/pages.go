package faultsite

import (
	"fmt"
	"strings"
)

// pages are all pages of the site, the first one its start. A faulty page has at
// most one change of each kind, so that none hides another.
func pages() []page {
	var listed []page
	for _, kind := range [][]change{elements(), words(), search(), technique(), policies(), markup(), layout()} {
		for i, c := range kind {
			if i == len(listed) {
				listed = append(listed, page{path: fmt.Sprintf("/faulty/%d", i+1), name: "Faulty page " + fmt.Sprint(i+1)})
			}
			listed[i].changes = append(listed[i].changes, c)
		}
	}
	listed = append(listed, soundPages()...)
	list := "<ul>\n"
	for _, p := range listed {
		list += "<li><p><a href=\"" + p.path + "\">" + p.name + "</a></p></li>\n"
	}
	return append([]page{
		{path: "/", name: "Start", changes: []change{{body: "<p>Find <a href=\"/pages\">all pages of the club</a> in one place.</p>\n"}}},
		{path: "/pages", name: "All pages", changes: []change{{body: list + "</ul>\n"}}},
	}, listed...)
}

// soundPages have no fault, and things that only look like one.
func soundPages() []page {
	return []page{
		{path: "/uncompressed", name: "Uncompressed", plain: true, changes: []change{{end: "<!-- " + strings.Repeat("kept for later ", 100) + "-->\n"}}},
		{path: "/privacy", name: "Privacy policy"},
		{path: "/imprint", name: "Imprint"},
		{path: "/sound/decoration", name: "Decoration", changes: []change{{body: `<p><img src="/images/boat.png" alt="" width="40" height="30"></p>` + "\n"}}},
		{path: "/sound/form", name: "A form", changes: []change{{body: `<form action="/sound/form" method="get"><p><label for="mail">Your e-mail</label> <input id="mail" type="email" autocomplete="email"></p><p><button type="submit">Look up</button></p></form>` + "\n"}}},
		{path: "/sound/table", name: "A table", changes: []change{{body: `<table><caption>Tides</caption><tr><th scope="col">Day</th><th scope="col">High</th></tr><tr><th scope="row">Monday</th><td>4:10</td></tr></table>` + "\n"}}},
	}
}
