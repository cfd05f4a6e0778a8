package seo

import (
	"encoding/json"
	"strconv"
	"strings"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

const googleStructured = "Google Search Central, Structured data markup that Google Search supports"

func structuredRules() []rule.Rule {
	return []rule.Rule{
		of("structured-data-invalid", schema.SeverityMinor, "Structured data of the page is not valid JSON",
			"Correct the JSON-LD; as it stands, search engines ignore it.", rule.Standard, "JSON-LD 1.1; RFC 8259", structuredInvalid),
		of("structured-data-untyped", schema.SeverityMinor, "Structured data does not say what it describes",
			"Give it \"@context\": \"https://schema.org\" and a \"@type\".", rule.Standard, "JSON-LD 1.1, the context; schema.org", structuredUntyped),
		of("structured-data-incomplete", schema.SeverityMinor, "Structured data lacks what a rich result needs",
			"Add the properties named, if the page is meant to be shown as a rich result.", rule.SearchEngine, googleStructured, structuredIncomplete),
		of("microdata-incomplete", schema.SeverityMinor, "Microdata lacks what a rich result needs",
			"Add the properties named, if the page is meant to be shown as a rich result.", rule.SearchEngine, googleStructured, microdataIncomplete),
		of("microdata-invalid", schema.SeverityMinor, "Microdata of the page belongs to nothing",
			"Put itemprop into an element with itemscope, and give itemtype only beside itemscope.", rule.Standard, "HTML Standard, Microdata", microdataInvalid),
	}
}

const maxStructured = 1 << 20

// structuredText is what a script of structured data says; empty for what is
// wrapped in comment marks, which search engines take, and for what is too long.
func structuredText(c *page.Content, id dom.ID) string {
	text := strings.TrimSpace(c.Tree.InnerText(id, maxStructured))
	if len(text) >= maxStructured || strings.HasPrefix(text, "<!--") || strings.HasPrefix(text, "//") || strings.HasPrefix(text, "/*") {
		return ""
	}
	return text
}

func structuredInvalid(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, id := range c.LDJSON {
		if text := structuredText(c, id); text != "" && !json.Valid([]byte(text)) {
			hits = append(hits, rule.Hit{Node: id})
		}
	}
	return hits
}

// thing is one object of structured data.
type thing = map[string]any

// thingsIn lists a script's objects with their outermost contexts: the object
// itself, those of an array, those of a graph.
func thingsIn(c *page.Content, id dom.ID) (things []thing, contexts []any) {
	var root any
	if text := structuredText(c, id); text == "" || json.Unmarshal([]byte(text), &root) != nil {
		return nil, nil
	}
	list, many := root.([]any)
	if !many {
		list = []any{root}
	}
	for _, v := range list {
		t, ok := v.(thing)
		if !ok {
			continue
		}
		context := t["@context"]
		graph, ok := t["@graph"].([]any)
		if !ok {
			things, contexts = append(things, t), append(contexts, context)
			continue
		}
		for _, v := range graph {
			if t, ok := v.(thing); ok {
				things, contexts = append(things, t), append(contexts, context)
			}
		}
	}
	return things, contexts
}

func structuredUntyped(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, id := range c.LDJSON {
		things, contexts := thingsIn(c, id)
		for i, t := range things {
			switch {
			case contexts[i] == nil:
				hits = append(hits, rule.Hit{Node: id, Detail: "@context is missing"})
			case isSchemaOrg(contexts[i]) && len(typesOf(t)) == 0 && t["@id"] == nil:
				hits = append(hits, rule.Hit{Node: id, Detail: "@type is missing"})
			default:
				continue
			}
			break
		}
	}
	return hits
}

// isSchemaOrg looks for the vocabulary's name in a context of whatever form.
func isSchemaOrg(context any) bool {
	switch v := context.(type) {
	case string:
		return strings.Contains(v, "schema.org")
	case []any:
		for _, one := range v {
			if isSchemaOrg(one) {
				return true
			}
		}
	case thing:
		return isSchemaOrg(v["@vocab"])
	}
	return false
}

func typesOf(t thing) []string {
	var out []string
	switch v := t["@type"].(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, one := range v {
			if s, ok := one.(string); ok {
				out = append(out, s)
			}
		}
	}
	for i, s := range out {
		out[i] = s[strings.LastIndexAny(s, "/:#")+1:]
	}
	return out
}

func structuredIncomplete(c *page.Content) []rule.Hit {
	merged, where, order := map[string]thing{}, map[string]dom.ID{}, []string(nil)
	for _, id := range c.LDJSON {
		things, contexts := thingsIn(c, id)
		for i, t := range things {
			if !isSchemaOrg(contexts[i]) {
				continue
			}
			name, named := t["@id"].(string)
			if !named {
				name = "\x00" + strconv.Itoa(len(order))
			}
			if merged[name] == nil {
				merged[name], where[name], order = thing{}, id, append(order, name)
			}
			for k, v := range t {
				merged[name][k] = v
			}
		}
	}
	var hits []rule.Hit
	for _, name := range order {
		for _, kind := range typesOf(merged[name]) {
			if lacking := lacking(kind, merged[name]); len(lacking) > 0 {
				hits = append(hits, rule.Hit{Node: where[name], Detail: kind + ": " + strings.Join(lacking, ", ")})
			}
		}
	}
	return hits
}

// microdataInvalid tells once of properties without an item and of types without
// a scope. Where items take in properties from elsewhere (itemref) it keeps quiet.
func microdataInvalid(c *page.Content) []rule.Hit {
	inScope := map[dom.ID]bool{}
	first, kind := dom.None, ""
	for id := range c.Tree.Below(dom.Root) {
		n := c.Tree.Node(id)
		if n.Kind != dom.Element || n.Flags&dom.Inert != 0 {
			continue
		}
		if c.Tree.Has(id, "itemref") {
			return nil
		}
		scope := c.Tree.Has(id, "itemscope")
		inScope[id] = scope || inScope[n.Parent]
		switch {
		case first != dom.None:
		case !scope && c.Tree.Has(id, "itemtype"):
			first, kind = id, "itemtype without itemscope"
		case c.Tree.Has(id, "itemprop") && !inScope[n.Parent]:
			first, kind = id, "itemprop outside an item"
		}
	}
	if first == dom.None {
		return nil
	}
	return []rule.Hit{{Node: first, Detail: kind}}
}
