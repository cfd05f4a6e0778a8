package dom

import (
	"strings"
	"testing"
)

func find(t *testing.T, tree *Tree, marker string) ID {
	t.Helper()
	for id := range tree.Below(Root) {
		if tree.Has(id, marker) {
			return id
		}
	}
	t.Fatalf("no element with %s", marker)
	return None
}

func TestSelector(t *testing.T) {
	long := strings.Repeat("x", 61)
	cases := []struct{ markup, want string }{
		{`<p here>`, "html > body > p"},
		{`<p>a<p here>b<div></div>`, "html > body > p:nth-of-type(2)"},
		{`<div><p>a</div><div><i></i><p here>b</div>`, "html > body > div:nth-of-type(2) > p"},
		{`<div id=main><p here>`, "#main > p"},
		{`<p here id="intro">`, "#intro"},
		{`<p here id="twice"><p id="twice">`, "html > body > p:nth-of-type(1)"},
		{`<p here id="free text">`, "html > body > p"},
		{`<p here id="1st">`, "html > body > p"},
		{`<p here id="` + long + `">`, "html > body > p"},
		{`<p here class="a b" title="text" data-x="text">`, "html > body > p"},
		{`<my-card here></my-card>`, "html > body > my-card"},
		{`<i></i><a:b here></a:b>`, "html > body > :nth-child(2)"},
		{`<svg><path/><path here/></svg>`, "html > body > svg > path:nth-of-type(2)"},
		{`<head><meta><meta here>`, "html > head > meta:nth-of-type(2)"},
		{`<html here>`, "html"},
	}
	for _, c := range cases {
		tree := Parse([]byte(c.markup))
		if got := tree.Selector(find(t, tree, "here")); got != c.want {
			t.Errorf("%s: %s, want %s", c.markup, got, c.want)
		}
	}
	deep := Parse([]byte(strings.Repeat("<div>", 300) + "<p here>"))
	if got := deep.Selector(find(t, deep, "here")); strings.Count(got, " > ") != 39 || !strings.HasSuffix(got, "div > p") {
		t.Errorf("deep: %s", got)
	}
	if deep.Selector(None) != "" || deep.Selector(Root) != "" {
		t.Error("a selector for no element")
	}
}

func TestInnerText(t *testing.T) {
	tree := Parse([]byte(`<p here>ein <b>zw</b>ei<script>no</script> drei</p>vier`))
	id := find(t, tree, "here")
	if got := tree.InnerText(id, 100); got != "ein zwei drei" {
		t.Errorf("%q", got)
	}
	if got := Parse([]byte(`<p here>äöü`)).InnerText(4, 3); got != "ä" {
		t.Errorf("cut: %q", got)
	}
}

func TestFlags(t *testing.T) {
	for markup, want := range map[string]Flags{
		`<p here>`:             0,
		`<div hidden><p here>`: Hidden,
		`<div style="a:b; DISPLAY: none !important"><p here>`: Hidden,
		`<div style="visibility:hidden"><p here>`:             Hidden,
		`<div style="display:block"><p here>`:                 0,
		`<div aria-hidden="TRUE"><p here>`:                    Unspoken,
		`<template><p here>`:                                  Inert | Mute,
		`<template shadowrootmode=open><p here>`:              0,
		`<select><option here>`:                               Mute,
		`<head><meta here>`:                                   Mute,
		`<svg><desc here>`:                                    Mute,
	} {
		tree := Parse([]byte(markup))
		if got := tree.Node(find(t, tree, "here")).Flags; got != want {
			t.Errorf("%s: %b, want %b", markup, got, want)
		}
	}
}
