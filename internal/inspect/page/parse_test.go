package page

import (
	"maps"
	"slices"
	"testing"
)

func TestSrcset(t *testing.T) {
	for set, want := range map[string][]string{
		"a.png":                         {"a.png"},
		"a.png 200w,":                   {"a.png"},
		"a.png, b.png 2x":               {"a.png", "b.png"},
		"a.png,b.png 2x":                {"a.png,b.png"}, // no space: one address, as browsers read it
		" , ,a.png 1x , b.png":          {"a.png", "b.png"},
		"data:image/png;base64,AA== 2x": {"data:image/png;base64,AA=="},
		"a.png calc(1px, 2px), b.png":   {"a.png", "b.png"},
		"a.png (unclosed, b.png":        {"a.png"},
		"a.png,, b.png":                 {"a.png", "b.png"},
		",":                             nil,
		"":                              nil,
	} {
		if got := slices.Collect(candidates(set)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", set, got, want)
		}
	}
}

func TestRefresh(t *testing.T) {
	for content, want := range map[string]struct {
		seconds int
		address string
		ok      bool
	}{
		"180":                        {180, "", true},
		" 5 ":                        {5, "", true},
		"0; URL=en/91/index.html":    {0, "en/91/index.html", true},
		"0;url='a b'":                {0, "a b", true},
		`3,UrL = "x?y=1;z" rest`:     {3, "x?y=1;z", true},
		"2.75; /x":                   {2, "/x", true},
		".5;url=x":                   {0, "x", true},
		"1 url=x":                    {1, "x", true},
		"1;url":                      {1, "url", true},
		"1;url=":                     {1, "", true},
		"99999999999999999999;url=x": {1 << 30, "x", true},
		"soon":                       {},
		"":                           {},
		"-1;url=x":                   {},
		"5x;url=y":                   {},
		"; url=x":                    {},
	} {
		seconds, address, ok := parseRefresh(content)
		if seconds != want.seconds || address != want.address || ok != want.ok {
			t.Errorf("%q: %d, %q, %v", content, seconds, address, ok)
		}
	}
}

func TestLinkHeader(t *testing.T) {
	type value struct {
		target string
		params map[string]string
	}
	for field, want := range map[string][]value{
		`</a>; rel=canonical`: {{"/a", map[string]string{"rel": "canonical"}}},
		`<https://x.example/?a,b;c>; rel="next prev"; title="x, y; z", </b>;rel = alternate;hreflang=de`: {
			{"https://x.example/?a,b;c", map[string]string{"rel": "next prev", "title": "x, y; z"}},
			{"/b", map[string]string{"rel": "alternate", "hreflang": "de"}}},
		`</a>; rel=one; rel=two; flag`: {{"/a", map[string]string{"rel": "one"}}},
		`</a>; flag; rel=x, </b>`:      {{"/a", map[string]string{"rel": "x"}}, {"/b", map[string]string{}}},
		`no brackets`:                  nil,
		`</unclosed`:                   nil,
		``:                             nil,
	} {
		var got []value
		for target, params := range linkValues(field) {
			got = append(got, value{target, params})
		}
		if !slices.EqualFunc(got, want, func(a, b value) bool { return a.target == b.target && maps.Equal(a.params, b.params) }) {
			t.Errorf("%s: %v", field, got)
		}
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct {
		in   string
		max  int
		want string
	}{
		{" a\n\tb  c ", 10, "a b c"},
		{"a\x00b\x1b[c", 10, "ab[c"},
		{"a\xffb", 10, "a\uFFFDb"},
		{"äöü", 2, "äö"},
		{"ab cd", 3, "ab"},
		{"", 5, ""},
	} {
		if got := Clean(c.in, c.max); got != c.want {
			t.Errorf("Clean(%q, %d) = %q, want %q", c.in, c.max, got, c.want)
		}
	}
}

// L30: a host without scheme is told of, not followed.
func TestLacksScheme(t *testing.T) {
	for raw, want := range map[string]Lack{
		"www.example.org": LacksHTTPS, "www.example.org/a?b": LacksHTTPS, " WWW.Example.org#x": LacksHTTPS,
		"info@example.org": LacksMailto, "first.last@mail.example.org": LacksMailto,
		"www.html": LacksNothing, "www": LacksNothing, "/www.example.org": LacksNothing, "example.org": LacksNothing,
		"https://www.example.org": LacksNothing, "@name": LacksNothing, "a@b": LacksNothing, "a@b.example/x": LacksNothing,
		"mailto:a@b.example": LacksNothing, "two words@b.example": LacksNothing, "www.ex ample.org": LacksNothing, "": LacksNothing,
	} {
		if got := LacksScheme(raw); got != want {
			t.Errorf("%q: %d, want %d", raw, got, want)
		}
	}
}
