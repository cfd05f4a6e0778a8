package fixturesite

import "strings"

// Canaries are words that stand nowhere else. After a scan none of them may be
// found in a database, a workflow history, a log or a file (contract C-58, R-23).
const (
	// CanaryParagraph is running text.
	CanaryParagraph = "Quenbrillow the lamplighter carried seventeen marrowglints across the frostwick bridge."
	// The others stand where text can also be.
	CanaryHeading   = "Thistlewhorl evenings"
	CanaryAnchor    = "grobblefinch directory"
	CanaryAlt       = "a vandersnoot beside a kettlepine"
	CanaryAriaLabel = "open the wimblecroft drawer"
	CanaryTitleAttr = "plumquarrel footnote"
	CanaryValue     = "zandersprocket-4417"
	CanaryHolder    = "e.g. mossglimmer"
	CanaryScript    = "hedgewicktoken90210"
	CanaryComment   = "ploverdrum draft"
	CanaryCookie    = "crumblethwaite77"
	CanaryStored    = "whifflecombe5521"
	CanaryKey       = "jottlepin was here"
	CanaryHeader    = "brackenfold-internal"
)

// Canaries lists single words, one of each canary, to search for.
func Canaries() []string {
	return []string{
		"Quenbrillow", "marrowglints", "Thistlewhorl", "grobblefinch", "vandersnoot", "wimblecroft", "plumquarrel",
		"zandersprocket", "mossglimmer", "hedgewicktoken90210", "ploverdrum", "crumblethwaite77", "whifflecombe5521", "jottlepin", "brackenfold",
	}
}

// CanaryMarkup is a piece of a page that carries all canaries that a page can,
// several of them on elements that accessibility rules object to, since results
// of such rules are where text leaks from. Its faults: contrast, an image button
// without a name, a select without a label, a nested control.
const CanaryMarkup = `<section aria-labelledby="evenings">
<h2 id="evenings">` + CanaryHeading + `</h2>
<!-- ` + CanaryComment + ` -->
<p style="color:#bbb;background:#fff" title="` + CanaryTitleAttr + `">` + CanaryParagraph + `</p>
<p><a href="/" title="` + CanaryTitleAttr + `">` + CanaryAnchor + `</a></p>
<p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=" alt="` + CanaryAlt + `" width="20" height="20"></p>
<div role="button" tabindex="0" aria-label="` + CanaryAriaLabel + `"><a href="/">` + CanaryAnchor + `</a></div>
<form action="/search"><input type="text" name="q" value="` + CanaryValue + `" placeholder="` + CanaryHolder + `" style="color:#ccc">
<select name="s"><option>` + CanaryAnchor + `</option></select>
<input type="hidden" name="t" value="` + CanaryValue + `"></form>
<script>window.sessionNote = "` + CanaryScript + `"; console.error("` + CanaryScript + `");
try { localStorage.setItem("` + CanaryKey + `", "` + CanaryStored + `"); sessionStorage.setItem("note", "` + CanaryStored + `") } catch {}
document.cookie = "lasting=` + CanaryStored + `; Max-Age=864000";</script>
</section>
`

// withCanaryHeaders adds the canaries that travel beside a page.
func withCanaryHeaders(f File) File {
	f.Header.Add("Set-Cookie", "visitor="+CanaryCookie+"; Path=/; HttpOnly")
	f.Header.Add("X-Editor-Note", CanaryHeader)
	f.Body = []byte(strings.ReplaceAll(string(f.Body), "{{canary}}", CanaryMarkup))
	return f
}
