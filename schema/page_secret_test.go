package schema

import (
	"reflect"
	"testing"
)

// proves S-24, R-23
func TestPageWithoutSecrets(t *testing.T) {
	const own = "https://e.example/p?token=typed"
	page := Page{
		URL: own, FinalURL: "https://e.example/q?token=given&page=2", Canonical: "https://other.example/c?text=words",
		Redirects: []Hop{{own, 302}, {"https://e.example/r?sig=x", 301}},
		Sharing:   map[string]string{"og:url": "https://e.example/p?jwt=x", "og:image": "//cdn.example/i.png?w=300", "og:title": "Is it https://e.example/?token=x"},
		Languages: Languages{HTML: "de", Hreflang: map[string]string{"en": "https://e.example/en?secret=x", "fr": "https://fr.example/?a=b"}},
		Title:     "kept",
	}
	want := Page{
		URL: own, FinalURL: "https://e.example/q?token=*&page=2", Canonical: "https://other.example/c?text=*",
		Redirects: []Hop{{own, 302}, {"https://e.example/r?sig=*", 301}},
		Sharing:   map[string]string{"og:url": "https://e.example/p?jwt=*", "og:image": "//cdn.example/i.png?w=*", "og:title": "Is it https://e.example/?token=x"},
		Languages: Languages{HTML: "de", Hreflang: map[string]string{"en": "https://e.example/en?secret=*", "fr": "https://fr.example/?a=*"}},
		Title:     "kept",
	}
	if got := page.WithoutSecrets(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if page.Redirects[1].URL != "https://e.example/r?sig=x" || page.Sharing["og:url"] != "https://e.example/p?jwt=x" {
		t.Error("the page itself was changed")
	}
	if got := (Page{URL: own, FinalURL: own}).WithoutSecrets(); got.FinalURL != own {
		t.Errorf("an address that did not move became %s", got.FinalURL)
	}
}
