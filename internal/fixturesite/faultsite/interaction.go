package faultsite

// aria: roles and attributes that contradict each other.
func aria() []change {
	return []change{
		{faults: []string{"aria-roles", "aria-valid-attr", "aria-valid-attr-value", "aria-allowed-attr", "aria-required-attr"},
			body: `<div role="sailor">Words</div>
<p aria-labeledby="nothing">Words</p>
<p aria-live="loud">Words</p>
<h2 aria-checked="true">A heading</h2>
<div role="checkbox" tabindex="0" aria-label="Wind"></div>
`},
		{faults: []string{"aria-required-children", "aria-required-parent", "nested-interactive"},
			body: `<div role="list"><div role="button" tabindex="0">Row</div></div>
<div role="tab" tabindex="0">Alone</div>
<div role="button" tabindex="0">Outer <a href="/imprint">imprint</a></div>
`},
		{faults: []string{"aria-hidden-focus"}, body: `<div aria-hidden="true"><a href="/imprint">Imprint, hidden</a></div>` + "\n"},
	}
}

// interaction: what shows only when a page is used.
func interaction() []change {
	return []change{
		{faults: []string{"keyboard-trap"}, body: `<p><button type="button" id="trap">Do not leave</button></p><p><button type="button">Next</button></p>` + "\n", end: `<script src="/js/trap.js"></script>` + "\n"},
		{faults: []string{"focus-not-visible"}, body: `<p><a class="bare" href="/imprint">Where am I?</a></p>` + "\n"},
		{faults: []string{"character-key-shortcut"}, body: `<p>Count: <span id="count">1</span></p>` + "\n", end: `<script src="/js/shortcut.js"></script>` + "\n"},
		{faults: []string{"zoom-clips-text"}, body: `<p class="clipped">A line of words that is whole on a wide screen and is not on a small one, as many lines of words are.</p>` + "\n"},
		{faults: []string{"scrollable-region-focusable"}, body: `<div class="scroller"><img src="/images/club.png" alt="The club house from the water" width="1200" height="630"></div>` + "\n"},
		{faults: []string{"orientation-lock"}, body: `<div class="turned"><p>Hold it level.</p></div>` + "\n"},
	}
}
