package privacy

import (
	"strings"
	"testing"

	"visite/internal/inspect/page"
	"visite/schema"
)

func at(address, markup string, o *schema.Observed) *page.Content {
	return page.Read(page.Document{
		Facts: schema.DocumentFacts{Requested: address}, Source: []byte(markup), Engine: schema.EngineHTTP, Observed: o,
		Registrable: func(host string) string {
			parts := strings.Split(host, ".")
			return strings.Join(parts[max(len(parts)-2, 0):], ".")
		},
	}, "")
}

func TestWhoseLawAsksForAnImprint(t *testing.T) {
	for address, want := range map[string]bool{"https://shop.at/": true, "https://shop.de/": true, "https://shop.es/x": true, "https://shop.ch/": true, "https://shop.com/": false, "https://de.shop.com/": false} {
		if got := owesImprint(at(address, `<!doctype html><html lang="en"><title>t</title>`, nil)); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}

// Each control is looked at once, however many forms there are.
func TestFormsThatAskForPersonalDataAreToldApart(t *testing.T) {
	c := at("http://shop.example/", strings.Repeat(`<form action="/s"><input name=q></form>`, 20_000)+strings.Repeat(`<form action="/m"><input type=email></form>`, 20_000)+`<input type=tel>`, nil)
	if got := personalForms(c); len(got) != 20_000 || got[c.Forms[0]] || !got[c.Forms[len(c.Forms)-1]] {
		t.Errorf("%d of %d forms", len(got), len(c.Forms))
	}
	if got := openForms(c); len(got) != 20_000 {
		t.Errorf("%d told", len(got))
	}
}

// An owner's other sites are no third parties, and hosts of one domain and owner are one.
func TestThirdPartiesAreToldApartByDomainAndOwner(t *testing.T) {
	o := &schema.Observed{Contacts: []schema.Contact{
		{Host: "static.xx.fbcdn.net", Requests: 1}, {Host: "cdn.www.facebook.com", Requests: 1}, {Host: "a.files.example", Requests: 2, Refused: 1}, {Host: "b.files.example", Requests: 1}, {Host: "127.0.0.1", Requests: 1},
	}}
	got := parties(at("https://www.facebook.com/x", "<p>w", o))
	if len(got) != 1 || got[0].label() != "files.example" || got[0].before != 2 || got[0].refused != 1 {
		t.Errorf("%+v", got)
	}
	got = parties(at("https://shop.example/x", "<p>w", o))
	if len(got) != 3 {
		t.Errorf("%+v", got)
	}
}

// Nothing of a name that could be words or a number of a person is shown.
func TestNamesAreShownOnlyWhereTheyArePlain(t *testing.T) {
	for name, want := range map[string]string{
		"theme": "theme", "PHPSESSID": "PHPSESSID", "session_8837261": schema.HiddenName, "deadbeefcafe0123": schema.HiddenName, "jane@site.example": schema.HiddenName,
		"two words": schema.HiddenName, "": schema.HiddenName, strings.Repeat("a", 25): schema.HiddenName, "größe": schema.HiddenName,
		"draft:jane.doe": schema.HiddenName, "search:diabetes": schema.HiddenName, "cart-jane-doe": schema.HiddenName, "kJx9QmZpLwRtY": schema.HiddenName,
	} {
		if got := plain(name); got != want {
			t.Errorf("%q is shown as %q", name, got)
		}
	}
	if got := shown("evil\"><script>.example"); strings.Contains(got, "<") {
		t.Error(got)
	}
}
