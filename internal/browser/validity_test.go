package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"visite/schema"
)

// patient is a limit for verdicts on a machine that has other work.
const patient = 2 * time.Minute

func validityOf(t *testing.T, b *Browser, source string) schema.ValidityResults {
	t.Helper()
	i, err := b.running(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := i.valid(t.Context(), source, b.scripts.validity, patient)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What HTML forbids is found, with names that HTML has and no word of the page.
func TestValidityOfServedSources(t *testing.T) {
	b := plainBrowser(t)
	for source, want := range map[string]string{
		html("", "<p>Words"): "",
		`<!doctype html><title>x</title><p>Tags may be left out<ul><li>a<li>b</ul><table><tr><td>1<td>2</table><a href="?a=1&b=2">z</a><svg viewBox="0 0 1 1"><path d="M0"/></svg><my-own x=y></my-own>`: "",
		html("", `<span><div>Canary</div></span>`):             "element-permitted-content 1 div in span",
		html("", `<p><div>Canary</div></p>`):                   "close-order 1 p",
		html("", `<input type="canary"><input type="canary">`): "attribute-allowed-values 2 type of input",
		html("", `<canary>x</canary>`):                         "element-name 1",
		html("", `<p align="canary">x</p>`):                    "no-deprecated-attr 1 align of p",
		html("", `<p>x &canary; y</p>`):                        "unrecognized-char-ref 1 p",
		html("", `<p>x<br></br></p>`):                          "void-content 1 br",
		html("", `<img alt="Canary">`):                         "element-required-attributes 1 src of img",
		html("", `<div/>`):                                     "no-self-closing 1 div",
		// Names of elements have no case, and script text is left alone.
		html("", `<DIV>x</div><P>one<P>two<UL><LI>a<li>b</ul><My-Own>x</my-own><script>if (a<B) c()</SCRIPT><svg viewBox="0 0 1 1"><linearGradient id="g"/></svg>`): "",
		html("", `<SPAN><Div>Canary</DIV></span>`): "element-permitted-content 1 div in span",
		// Addresses may stand between line ends, but must be there.
		html("", "<a href=\"\n /a\n\">a</a><img alt=\"\" src=\"\r\n/a\"><iframe title=x src=\"/a\n\"></iframe><script src=\"\n/a\"></script><object data=\"\n/a\"></object>"): "",
		html("", "<img alt=\"Canary\" src=\"\n\">"): "attribute-allowed-values 1 src of img",
		// Stricter than the standard the validator is not.
		html("", `<input type="number" size="3" maxlength="3"><INPUT TYPE="TEXT" SIZE=20>`):                                               "",
		html("", `<input type="CHECKBOX" size="3"><input type="range" maxlength="3">`):                                                    "input-attributes 2 size of input",
		html(`<link rel="preload stylesheet" as="style" integrity="sha256-x" href="/a"><link rel="x stylesheet" disabled href="/a">`, ""): "",
		html(`<link rel="icon shortcut" as="style" href="/a">`, ""):                                                                       "attribute-misuse 1 as of link",
		html("", `<a name="a">x</a><img alt="" src="/a" border=0><script language="JavaScript"></script>`):                                "",
		html("", `<a name="">x</a><img alt="" src="/a" border=01><script language="canary"></script>`):                                    "no-deprecated-attr 3 name of a",
		html("", `<p>?p=1&lang=de`):                                                                   "",
		html("", `<p>&copy 2026 &notin`):                                                              "unrecognized-char-ref 2 p",
		html("", `<p contenteditable="plaintext-only">x`):                                             "",
		html("", `<p contenteditable="canary">x`):                                                     "attribute-allowed-values 1 contenteditable of p",
		"<!DOCTYPE  html ><title>x</title>":                                                           "",
		`<!DOCTYPE html SYSTEM "about:legacy-compat"><title>x</title>`:                                "",
		`<!DOCTYPE html SYSTEM "about:canary"><title>x</title>`:                                       "doctype-html 1",
		html("", `<p><!-- [html-validate-disable-next no-deprecated-attr] --><br clear="all"></p>`):   "no-deprecated-attr 1 clear of br",
		html("", `<!-- html-validate-disable element-permitted-content --><span><div>x</div></span>`): "element-permitted-content 1 div in span",
		html("", `<!-- html-validate-enable no-inline-style --><p style="color:red">x</p>`):           "",
		// What other rules of ours report is left to them.
		`<html><head><title>x</title></head><body><center id="a">x</center><p id="a" role="canary">y</p><iframe src="/a"></iframe><b class=a class=b>y</b><ul><p>z</p></ul><div><li>z</li></div><title>z</title></body></html>`: "",
	} {
		r := validityOf(t, b, source)
		var got []string
		for _, rule := range r.Rules {
			line := fmt.Sprintf("%s %d", rule.Rule, rule.Count)
			p := rule.Places[0]
			switch {
			case p.Attribute != "":
				line += strings.TrimRight(" "+p.Attribute+" of "+p.Element, " ")
			case p.Inside != "":
				line += " " + p.Element + " in " + p.Inside
			case p.Element != "":
				line += " " + p.Element
			}
			if p.Line != 1 || p.Column < 1 {
				t.Errorf("%s: at line %d, column %d", source, p.Line, p.Column)
			}
			got = append(got, line)
		}
		if strings.Join(got, ", ") != want || !r.Whole {
			t.Errorf("%s\n\tgives %q (whole %v), want %q", source, got, r.Whole, want)
		}
		if raw, _ := json.Marshal(r); strings.Contains(strings.ToLower(string(raw)), "canary") {
			t.Errorf("%s: words of the page came along: %s", source, raw)
		}
	}
}

// Of many places some are told, and not styles alone where there is something else.
func TestPlacesOfValidity(t *testing.T) {
	b := plainBrowser(t)
	styles := "<p>" + strings.Repeat("<style></style>", 4) + "</p>"
	for source, last := range map[string]string{styles: "style", styles + "<span><div>x</div></span>": "div"} {
		r := validityOf(t, b, html("", source))
		if len(r.Rules) != 1 || len(r.Rules[0].Places) != 3 || r.Rules[0].Places[2].Element != last {
			t.Errorf("%s: %+v, want %s last", source, r.Rules, last)
		}
	}
}

// The verdict is made beside the visit and comes with it; what is not judged is said.
func TestValidityComesWithTheVisit(t *testing.T) {
	b := plainBrowser(t)
	page := html("", "<span><div>x</div></span>")
	d := newDoor(t, pages{"/": page})
	visit := func(source string) Rendered {
		t.Helper()
		v := visitOf(t, b, d, "/")
		v.Deadline = patient
		v.Markup = func() []byte { return []byte(source) }
		out, err := b.Visit(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := visit(page); out.Validity == nil || len(out.Validity.Rules) != 1 || slices.Contains(out.Notes, schema.NoteValidityUnchecked) {
		t.Errorf("a page with a fault: %+v, notes %v", out.Validity, out.Notes)
	}
	for name, source := range map[string]string{"long": page + strings.Repeat(" ", MaxValidated), "not kept": ""} {
		if out := visit(source); out.Validity != nil || !slices.Contains(out.Notes, schema.NoteValidityUnchecked) {
			t.Errorf("%s: %+v, notes %v", name, out.Validity, out.Notes)
		}
	}
	if out := open(t, b, d, "/"); out.Validity != nil || slices.Contains(out.Notes, schema.NoteValidityUnchecked) {
		t.Errorf("nobody asked: %+v, notes %v", out.Validity, out.Notes)
	}
}

// A visit that ended does not wait for its verdict, which may be long in coming.
func TestAVisitThatEndedWaitsForNoVerdict(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	var out Rendered
	ends(t, func() { (&validation{done: make(chan struct{})}).await(ended, &out) })
	if out.Validity != nil || !slices.Contains(out.Notes, schema.NoteValidityUnchecked) {
		t.Errorf("%+v, notes %v", out.Validity, out.Notes)
	}
}

// ends fails the test where what is done would wait for ever.
func ends(t *testing.T, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(patient):
		t.Fatal("it still waits")
	}
}

// Nothing leaves the validator's tab, whatever ran there (contract: one door).
func TestNothingLeavesTheValidatorsTab(t *testing.T) {
	b := plainBrowser(t)
	var asked atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer site.Close()
	i, err := b.running(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w, err := i.desk(`globalThis.validity = () => 0`)
	if err != nil {
		t.Fatal(err)
	}
	defer w.tab.close()
	u := site.URL
	tries := fmt.Sprintf(`(async () => {
const u = %q, out = [];
const image = new Image(); const shown = new Promise((r) => { image.onload = () => r("loaded"); image.onerror = () => r("failed"); }); image.src = u + "/image";
const socket = new Promise((r) => { try { const s = new WebSocket("ws" + u.slice(4) + "/socket"); s.onopen = () => r("open"); s.onerror = () => r("failed"); } catch (e) { r("failed"); } });
out.push(await fetch(u + "/fetch", { mode: "no-cors" }).then(() => "came", () => "failed"), await shown, await socket);
navigator.sendBeacon?.(u + "/beacon");
return out.join(" ");
})()`, u)
	var told string
	if err := w.run(patient, tries, &told); err != nil {
		t.Fatal(err)
	}
	if n := asked.Load(); n != 0 || told != "failed failed failed" {
		t.Errorf("%d requests left the tab, which was told %q", n, told)
	}
	resp, err := http.Get(u) // the site does notice requests
	if err != nil || asked.Load() != 1 {
		t.Fatalf("control request: %v, %d seen", err, asked.Load())
	}
	resp.Body.Close()
}

// A source that is known is not judged again, and a tab that does not answer makes
// way for another.
func TestValidatorRemembersAndRecovers(t *testing.T) {
	b := plainBrowser(t)
	i, err := b.running(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first := validityOf(t, b, html("", "<span><div>x</div></span>"))
	i.validator.world.run(patient, "validity = () => { for (;;); }", nil)
	if again := validityOf(t, b, html("", "<span><div>x</div></span>")); len(again.Rules) != 1 || len(first.Rules) != 1 {
		t.Errorf("first %+v, again %+v", first, again)
	}
	if _, err := i.valid(t.Context(), html("", "<p>x"), b.scripts.validity, 300*time.Millisecond); err == nil {
		t.Fatal("a script that never ends gave a verdict")
	}
	if r := validityOf(t, b, html("", "<p>x")); !r.Whole {
		t.Errorf("after a tab that hung: %+v", r)
	}
	crash(t, i.validator.world.tab)
	if r := validityOf(t, b, html("", "<p>y")); !r.Whole {
		t.Errorf("after a tab that crashed: %+v", r)
	}
}
