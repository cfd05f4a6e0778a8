// Package technical judges how a page is delivered and declared.
package technical

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

const (
	htmlCharset = "HTML Standard, specifying the document's character encoding"
	// prescanBytes is within which browsers look for a declaration.
	prescanBytes = 1024
	// compressFrom is a size below which compression gains nothing, in bytes.
	compressFrom = 2048
	// htmlLarge is what Google reads of a page at most, in bytes.
	htmlLarge = 2 << 20
)

// Rules lists them.
func Rules() []rule.Rule {
	return slices.Concat([]rule.Rule{
		of("doctype-missing", schema.SeverityMinor, "The page has no doctype",
			"Start the page with <!doctype html>; without it browsers fall back to the layout of the nineties.",
			rule.Standard, "HTML Standard, the DOCTYPE", doctypeMissing),
		of("charset-missing", schema.SeverityMinor, "Nothing says how the page's characters are written",
			"Send charset=utf-8 in Content-Type, or put <meta charset=\"utf-8\"> first into the head.", rule.Standard, htmlCharset, charsetMissing),
		of("charset-late", schema.SeverityMinor, "The character encoding is declared too late",
			"Move the meta charset element to the start of the head, within the first 1024 bytes.", rule.Standard, htmlCharset, charsetLate),
		of("charset-mixed", schema.SeverityModerate, "Header and page declare different character encodings",
			"Declare the same encoding, best utf-8, in both places.", rule.Standard, htmlCharset, charsetMixed),
		of("charset-unknown", schema.SeverityModerate, "The declared character encoding does not exist",
			"Declare utf-8.", rule.Standard, "Encoding Standard, names and labels", charsetUnknown),
		of("compression-missing", schema.SeverityMinor, "The page is sent uncompressed",
			"Switch on gzip or Brotli for HTML on the server.", rule.SearchEngine, "web.dev, Optimize the encoding and transfer size of text-based assets", compressionMissing),
		of("html-large", schema.SeverityModerate, "The page's markup is larger than search engines read",
			"Bring the HTML below 2 MB: move embedded data and styles into files, split long lists.",
			rule.SearchEngine, "Google Search Central, Googlebot file size limits", htmlTooLarge),
		of("charset-legacy", schema.SeverityInfo, "The page is not written in UTF-8",
			"Save and declare pages as utf-8.", rule.Standard, htmlCharset, charsetLegacy),
		of("element-obsolete", schema.SeverityMinor, "The page uses elements that HTML no longer has",
			"Replace them: looks belong into style sheets, frames into pages of their own.", rule.Standard, "HTML Standard, non-conforming features", obsolete),
		of("plugin-content", schema.SeverityModerate, "The page has content that no browser shows any more",
			"Replace Flash, Silverlight and Java by HTML, video or script.", rule.Standard, "HTML Standard, non-conforming features; plug-ins were removed from browsers", plugins),
		of("id-duplicate", schema.SeverityMinor, "An id is used more than once",
			"Give each element an id of its own, or none.", rule.Standard, "HTML Standard, the id attribute", idTwice),
		markup(of("attribute-twice", schema.SeverityMinor, "A tag has the same attribute twice",
			"Leave one of them; browsers read the first and drop the others.", rule.Standard, "HTML Standard, duplicate-attribute parse error", attributeTwice), "e6952f"),
		of("base-misplaced", schema.SeverityMinor, "The base element does not hold for the whole page",
			"Put one base element with href into the head, before anything that has an address.", rule.Standard, "HTML Standard, the base element", baseMisplaced),
		of("cache-control-invalid", schema.SeverityMinor, "Cache-Control contradicts itself or cannot be read",
			"Decide for one: no-store, or an age in seconds; public or private.", rule.Standard, "RFC 9111 section 5.2", cacheControl),
		{
			Info: rule.Info{
				ID: "script-errors", Category: schema.CategoryTechnical, Severity: schema.SeverityMinor, Outcome: schema.FindingNeedsReview,
				Title: "Scripts of the page report errors", Help: "Open the page with the browser's console and see what fails.",
				Source: rule.Convention, Reference: "common audit rule",
			},
			Run: scriptErrors,
		},
	}, validityRules(), layoutRules())
}

func of(id string, severity schema.Severity, title, help string, source rule.Source, reference string, run func(*page.Content) []rule.Hit) rule.Rule {
	return rule.Rule{
		Info: rule.Info{
			ID: id, Category: schema.CategoryTechnical, Severity: severity, Outcome: schema.FindingFailed, Title: title, Help: help,
			Source: source, Reference: reference,
		},
		Run: run,
	}
}

// markup names the W3C's ACT rule that says the same.
func markup(r rule.Rule, act string) rule.Rule {
	r.ACT = []string{act}
	return r
}

// served reports whether the source as sent is there to judge.
func served(c *page.Content) bool { return len(c.Doc.Source) > 0 }

func doctypeMissing(c *page.Content) []rule.Hit {
	if !served(c) || c.Tree.Doctype || strings.Contains(c.Doc.Facts.MediaType, "xhtml") {
		return nil
	}
	return rule.Page("")
}

func charsetMissing(c *page.Content) []rule.Hit {
	if !served(c) || c.Charset.Declared() || ascii(c.Doc.Source) {
		return nil
	}
	return rule.Page("")
}

// ascii: where every encoding says the same, none has to be named.
func ascii(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

func charsetLate(c *page.Content) []rule.Hit {
	if !served(c) || c.Charset.MetaEnd <= prescanBytes || c.Charset.Header != "" || c.Charset.BOM != "" {
		return nil
	}
	return rule.Page("after " + strconv.Itoa(c.Charset.MetaEnd) + " bytes")
}

func charsetMixed(c *page.Content) []rule.Hit {
	if !served(c) {
		return nil
	}
	header, meta := page.CharsetName(c.Charset.Header), page.CharsetName(c.Charset.Meta)
	if header == "" || meta == "" || header == meta {
		return nil
	}
	return rule.Page(header + " in the header, " + meta + " in the page")
}

func charsetUnknown(c *page.Content) []rule.Hit {
	if !served(c) || !c.Charset.Unknown {
		return nil
	}
	return rule.Page("")
}

func compressionMissing(c *page.Content) []rule.Hit {
	size := c.Doc.Bytes()
	if size <= compressFrom || c.Doc.Facts.Status == 0 || (c.Doc.Facts.Encoding != "" && !strings.EqualFold(c.Doc.Facts.Encoding, "identity")) {
		return nil
	}
	return rule.Page(kilobytes(size))
}

func htmlTooLarge(c *page.Content) []rule.Hit {
	if size := c.Doc.Bytes(); size > htmlLarge {
		return rule.Page(kilobytes(size))
	}
	return nil
}

func kilobytes(n int64) string { return fmt.Sprintf("%d kB", (n+500)/1000) }

func scriptErrors(c *page.Content) []rule.Hit {
	if c.Doc.ConsoleErrors == 0 {
		return nil
	}
	return []rule.Hit{{Node: dom.None, Detail: rule.Count(c.Doc.ConsoleErrors, "error")}}
}
