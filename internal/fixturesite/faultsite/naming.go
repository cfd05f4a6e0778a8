package faultsite

import "slices"

// elements: what single elements of a page lack.
func elements() []change {
	return slices.Concat(naming(), structure(), aria(), interaction())
}

// naming: what has no name, or not the one that is seen.
func naming() []change {
	return []change{
		{faults: []string{"image-alt", "input-image-alt", "area-alt", "role-img-alt", "svg-img-alt", "object-alt"},
			body: `<p><img src="/images/boat.png" width="40" height="30"></p>
<form action="/imprint" method="get"><p><input type="image" src="/images/boat.png"></p></form>
<p><img src="/images/boat.png" alt="Plan of the harbour" usemap="#plan" width="40" height="30"></p><map name="plan"><area shape="rect" coords="0,0,30,30" href="/imprint"></map>
<div role="img"></div>
<svg role="img" width="20" height="20"><circle cx="10" cy="10" r="5"></circle></svg>
<object data="/images/boat.png" type="image/png" width="40" height="30"></object>
`},
		{faults: []string{"link-name", "button-name", "label", "select-name", "frame-title", "summary-name"},
			body: `<p><a href="/imprint"><img src="/images/boat.png" alt="" width="40" height="30"></a></p>
<p><button type="button"></button></p>
<form action="/imprint" method="get"><p><input type="text" name="boat"></p><p><select name="crew"><option>Two</option><option>Four</option></select></p></form>
<iframe src="/sound/form" width="200" height="100"></iframe>
<details><summary></summary><p>More of it.</p></details>
`},
		{faults: []string{"aria-command-name", "aria-input-field-name", "aria-toggle-field-name", "aria-meter-name", "aria-progressbar-name", "aria-dialog-name"},
			body: `<p><span role="button" tabindex="0"></span></p>
<div role="textbox" tabindex="0" contenteditable="true"></div>
<div role="switch" tabindex="0" aria-checked="false"></div>
<div role="meter" aria-valuenow="3" aria-valuemin="0" aria-valuemax="9"></div>
<div role="progressbar" aria-valuenow="3" aria-valuemin="0" aria-valuemax="9"></div>
<div role="dialog"><p>Closed on Mondays.</p></div>
`},
		{faults: []string{"label-in-name", "autocomplete-valid", "frame-same-name", "empty-heading"},
			body: `<p><button type="button" aria-label="Send the form">Book now</button></p>
<form action="/imprint" method="get"><p><label for="street">Street</label> <input id="street" autocomplete="strasse"></p></form>
<iframe src="/sound/form" title="Harbour" width="200" height="100"></iframe><iframe src="/sound/table" title="Harbour" width="200" height="100"></iframe>
<h2></h2>
`},
		{faults: []string{"color-contrast"}, body: "<p class=\"pale\">Printed very pale on white.</p>\n"},
	}
}

// structure: lists, tables, headings, the document as a whole.
func structure() []change {
	return []change{
		{faults: []string{"list", "listitem", "definition-list", "dlitem"},
			body: `<ul><div>Oars</div><li>Boats</li></ul>
<div><li>Alone</li></div>
<dl><p>Words</p><dt>Oar</dt><dd>Moves a boat</dd></dl>
<div><dt>Keel</dt></div>
`},
		{faults: []string{"td-headers-attr", "scope-attr-valid", "empty-table-header"},
			body: `<table><caption>Boats</caption><tr><th id="boat">Boat</th><th id="length">Length</th></tr><tr><td headers="boat">Skiff</td><td headers="nowhere">8 m</td></tr></table>
<table><caption>Crews</caption><tr><th scope="column">Crew</th><th scope="col">Day</th></tr><tr><td>A</td><td>Friday</td></tr></table>
<table><caption>Locks</caption><tr><th scope="col"></th><th scope="col">Day</th></tr><tr><td>A</td><td>Friday</td></tr></table>
`},
		{faults: []string{"blink", "marquee", "element-obsolete"}, body: "<p><blink>Now</blink></p><marquee>News of the day</marquee>\n"},
	}
}
