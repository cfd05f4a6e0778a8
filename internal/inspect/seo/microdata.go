package seo

import (
	"strings"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
)

// maxItems bounds the microdata items of a page that are looked at.
const maxItems = 500

// microdataIncomplete asks of items that are not part of another one what it asks
// of JSON-LD. A page whose items take in properties from elsewhere (itemref) is left
// alone.
func microdataIncomplete(c *page.Content) []rule.Hit {
	items := map[dom.ID]thing{}
	var top []dom.ID
	owner := map[dom.ID]dom.ID{} // the innermost item that an element is in
	for id := range c.Tree.Below(dom.Root) {
		n := c.Tree.Node(id)
		if n.Kind != dom.Element || n.Flags&dom.Inert != 0 {
			continue
		}
		if c.Tree.Has(id, "itemref") {
			return nil
		}
		above, inside := owner[n.Parent]
		scope := c.Tree.Has(id, "itemscope") && len(items) < maxItems
		var value any = propertyText(c, id)
		if scope {
			items[id] = thing{"@type": itemType(c, id)}
			value, owner[id] = items[id], id
		} else if inside {
			owner[id] = above
		}
		names, named := c.Tree.Attr(id, "itemprop")
		switch {
		case named && inside:
			for name := range strings.FieldsSeq(names) {
				add(items[above], name, value)
			}
		case scope && !named:
			top = append(top, id)
		}
	}
	var hits []rule.Hit
	for _, id := range top {
		for _, kind := range typesOf(items[id]) {
			if lacking := lacking(kind, items[id]); len(lacking) > 0 {
				hits = append(hits, rule.Hit{Node: id, Detail: kind + ": " + strings.Join(lacking, ", ")})
			}
		}
	}
	return hits
}

// add gives an item a property, if it has a value; those of one name are a list.
func add(item thing, name string, value any) {
	if text, ok := value.(string); ok && strings.TrimSpace(text) == "" {
		return
	}
	list, _ := item[name].([]any)
	item[name] = append(list, value)
}

// itemType is a schema.org type's name; empty for other vocabularies.
func itemType(c *page.Content, id dom.ID) string {
	types, _ := c.Tree.Attr(id, "itemtype")
	for t := range strings.FieldsSeq(types) {
		if strings.Contains(strings.ToLower(t), "schema.org/") {
			return t
		}
	}
	return ""
}

// propertyText is whether a property has a value: HTML Standard, microdata values.
func propertyText(c *page.Content, id dom.ID) string {
	for _, name := range [...]string{"content", "src", "href", "data", "datetime", "value"} {
		if v, ok := c.Tree.Attr(id, name); ok {
			return v
		}
	}
	return c.Tree.InnerText(id, 64)
}
