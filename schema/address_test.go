package schema

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

// L08, L11, L14: text directives, labels that do not round-trip, empty segments.
func TestNormalizeAddress(t *testing.T) {
	const base = "https://shop.example/a/b/page.html?x=1"
	cases := []struct{ name, raw, want string }{
		{"already normal", "https://shop.example/a?b=c", "https://shop.example/a?b=c"},
		{"empty path", "https://shop.example", "https://shop.example/"},
		{"empty path before query", "https://shop.example?q=1", "https://shop.example/?q=1"},
		{"empty query kept", "https://shop.example/?", "https://shop.example/?"},
		{"no reference is the page itself", "", base},
		{"relative", "next.html", "https://shop.example/a/b/next.html"},
		{"relative folder up", "../x/./y", "https://shop.example/a/x/y"},
		{"above the root", "../../../../z", "https://shop.example/z"},
		{"encoded dots", "/p/%2e%2E/q", "https://shop.example/q"},
		{"ends in dots", "/p/q/..", "https://shop.example/p/"},
		{"query only", "?page=2", "https://shop.example/a/b/page.html?page=2"},
		{"fragment only", "#top", base},
		{"text directive", "/doc#part:~:text=some%20words", "https://shop.example/doc"},
		{"directive alone", "#:~:text=words", base},
		{"protocol-relative", "//fonts.example.net", "https://fonts.example.net/"},
		{"protocol-relative with path", "//cdn.example.net/f.js", "https://cdn.example.net/f.js"},
		{"backslashes", `\\cdn.example.net\dir\f.js`, "https://cdn.example.net/dir/f.js"},
		{"backslash path", `dir\file.html`, "https://shop.example/a/b/dir/file.html"},
		{"surrounding space", " \n /x \t", "https://shop.example/x"},
		{"line ends inside", "/long\n\t path", "https://shop.example/long%20path"},
		{"default port", "http://shop.example:80/", "http://shop.example/"},
		{"default port https", "https://shop.example:0443/", "https://shop.example/"},
		{"other scheme's port stays", "http://shop.example:443/", "http://shop.example:443/"},
		{"empty port", "https://shop.example:/x", "https://shop.example/x"},
		{"upper case", "HTTPS://Shop.EXAMPLE/Path", "https://shop.example/Path"},
		{"umlaut host", "https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"},
		{"sharp s is kept", "https://straße.example/", "https://xn--strae-oqa.example/"},
		{"ideographic dot", "https://www。example/", "https://www.example/"},
		{"A-label that does not round-trip", "https://xn--fake--j430c.example/", "https://xn--fake--j430c.example/"},
		{"hyphens in third place", "https://r3---sn-x.example/", "https://r3---sn-x.example/"},
		{"underscore", "https://my_host.example/", "https://my_host.example/"},
		{"credentials dropped", "https://me:secret@shop.example/x", "https://shop.example/x"},
		{"at sign in path", "https://shop.example/@me", "https://shop.example/@me"},
		{"empty segments kept", "https://shop.example//News//x", "https://shop.example//News//x"},
		{"unreserved decoded", "/%7Euser/%41", "https://shop.example/~user/A"},
		{"reserved stays", "/a%2fb?x=%3d", "https://shop.example/a%2Fb?x=%3D"},
		{"encoded slash beside a bar", "/a%2Fb|c", "https://shop.example/a%2Fb%7Cc"},
		{"stray percent", "/100%", "https://shop.example/100%25"},
		{"stray percent in query", "/?q=100%", "https://shop.example/?q=100%25"},
		{"quotes and space in query", `/?q=a "b"`, "https://shop.example/?q=a%20%22b%22"},
		{"same scheme without slashes", "https:other.html", "https://shop.example/a/b/other.html"},
		{"other scheme without slashes", "http:other.example", "http://other.example/"},
		{"three slashes", "https:///other.example/x", "https://other.example/x"},
		{"IPv6", "http://[2001:DB8:0:0:0:0:0:1]:8080/", "http://[2001:db8::1]:8080/"},
		{"IPv4", "http://192.0.2.1/", "http://192.0.2.1/"},
		{"IPv4 as one number", "http://2130706433/", "http://127.0.0.1/"},
		{"IPv4 hexadecimal", "http://0x7f.1/", "http://127.0.0.1/"},
		{"IPv4 octal", "http://0177.0.0.01/", "http://127.0.0.1/"},
		{"IPv4 with encoded digits", "http://%31%32%37.0.0.1/", "http://127.0.0.1/"},
		{"IPv4 in full-width digits", "http://１２７.0.0.1/", "http://127.0.0.1/"},
	}
	from, _ := url.Parse(base)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := NormalizeAddress(c.raw, from)
			if err != nil || got != c.want {
				t.Fatalf("NormalizeAddress(%q) = %q, %v; want %q", c.raw, got, err, c.want)
			}
			again, err := NormalizeAddress(got, nil)
			if err != nil || again != got {
				t.Errorf("not stable: %q, %v", again, err)
			}
			if u, err := url.Parse(got); err != nil || u.String() != got {
				t.Errorf("net/url writes it as %v, %v", u, err)
			}
		})
	}
}

func TestNormalizeAddressRefuses(t *testing.T) {
	from, _ := url.Parse("https://shop.example/")
	cases := []struct {
		raw  string
		base *url.URL
		want error
	}{
		{"mailto:someone@shop.example", from, ErrAddressNotWeb},
		{"tel:+49123", from, ErrAddressNotWeb},
		{"data:text/plain,hi", from, ErrAddressNotWeb},
		{"JavaScript:void(0)", from, ErrAddressNotWeb},
		{" java\nscript:alert(1)", from, ErrAddressNotWeb},
		{"ftp://shop.example/", from, ErrAddressNotWeb},
		{"file:///etc/passwd", from, ErrAddressNotWeb},
		{"blob:https://shop.example/1", from, ErrAddressNotWeb},
		{"page.html", nil, ErrAddressRelative},
		{"//shop.example/", nil, ErrAddressRelative},
		{"http://", nil, ErrAddressNoHost},
		{"https:///", nil, ErrAddressNoHost},
		{"http://?q", nil, ErrAddressNoHost},
		{"http://:80/", nil, ErrAddressNoHost},
		{"http://a b/", nil, ErrAddressHost},
		{"http://a<b/", nil, ErrAddressHost},
		{"http://a}b/", nil, ErrAddressHost},
		{"http://.example/", nil, ErrAddressHost},
		{"http://a..example/", nil, ErrAddressHost},
		{"http://\xff\xfe/", nil, ErrAddressHost},
		{"http://a%00b/", nil, ErrAddressHost},
		{"http://[::1/", nil, ErrAddressHost},
		{"http://[fe80::1%25eth0]/", nil, ErrAddressHost},
		{"http://1.2.3.4.5/", nil, ErrAddressHost},
		{"http://256.0.0.1/", nil, ErrAddressHost},
		{"http://shop.example:65536/", nil, ErrAddressPort},
		{"http://shop.example:8a/", nil, ErrAddressPort},
		{"http://shop.example:-1/", nil, ErrAddressPort},
		{"https://shop.example/" + strings.Repeat("a", 2000), nil, ErrAddressTooLong},
	}
	for _, c := range cases {
		if got, err := NormalizeAddress(c.raw, c.base); !errors.Is(err, c.want) {
			t.Errorf("NormalizeAddress(%.40q) = %q, %v; want %v", c.raw, got, err, c.want)
		}
	}
}

// L32: an empty path is the home page; a slash at the end of any other counts.
func TestAddressKey(t *testing.T) {
	cases := []struct{ name, address, want string }{
		{"nothing to drop", "https://e.example/a?b=1&a=2", "https://e.example/a?b=1&a=2"},
		{"campaign", "https://e.example/a?utm_source=x&id=7&UTM_Medium=y&gclid=z", "https://e.example/a?id=7"},
		{"only campaign", "https://e.example/a?fbclid=1", "https://e.example/a"},
		{"session always", "https://e.example/?PHPSESSID=abc&p=1", "https://e.example/?p=1"},
		{"ASP session", "https://e.example/?ASPSESSIONIDQQ=abc", "https://e.example/"},
		{"path session", "https://e.example/shop;jsessionid=0A1B/x;v=2", "https://e.example/shop/x;v=2"},
		{"sid that is a session", "https://e.example/?sid=9f8a7b6c5d4e3f2a1b0c", "https://e.example/"},
		{"sid that is an article", "https://e.example/?sid=1234", "https://e.example/?sid=1234"},
		{"empty query", "https://e.example/a?", "https://e.example/a"},
		{"final dot of the host", "https://e.example./a", "https://e.example/a"},
		{"slash is significant", "https://e.example/faq/", "https://e.example/faq/"},
		{"no path", "https://e.example", "https://e.example/"},
		{"encoded slash", "https://e.example/a%2Fb", "https://e.example/a%2Fb"},
	}
	for _, c := range cases {
		u, err := url.Parse(c.address)
		if err != nil {
			t.Fatal(err)
		}
		if got := AddressKey(u); got != c.want {
			t.Errorf("%s: AddressKey(%s) = %s, want %s", c.name, c.address, got, c.want)
		}
		if got := KeyOf(c.address); got != c.want {
			t.Errorf("%s: KeyOf(%s) = %s, want %s", c.name, c.address, got, c.want)
		}
	}
}

// L29, L30: addresses that grow by repeating themselves come to an end.
func TestIsTrap(t *testing.T) {
	deep := "https://e.example"
	for i := range 21 {
		deep += "/" + string(rune('a'+i))
	}
	params := "https://e.example/?p0=1"
	for i := range 15 {
		params += "&q" + string(rune('a'+i)) + "=1"
	}
	cases := []struct {
		name, address string
		want          bool
	}{
		{"home", "https://e.example/", false},
		{"date archive", "https://e.example/2024/01/01/title", false},
		{"twice in a row", "https://e.example/a/a/b", false},
		{"three in a row", "https://e.example/x/a/a/a", true},
		{"pair three times", "https://e.example/a/b/a/b/a/b", true},
		{"pair twice", "https://e.example/a/b/a/b", false},
		{"five in all", "https://e.example/a/1/a/2/a/3/a/4/a", true},
		{"four in all", "https://e.example/a/1/a/2/a/3/a/4", false},
		{"nested host", "https://e.example/event/www.x.example/www.x.example/www.x.example", true},
		{"20 deep", deep[:len(deep)-2], false},
		{"21 deep", deep, true},
		{"15 parameters", params[:len(params)-len("&qo=1")], false},
		{"16 parameters", params, true},
		{"parameter four times", "https://e.example/?a=1&a=2&a=3&a=4", true},
		{"parameter three times", "https://e.example/?a=1&a=2&a=3", false},
		{"growing ampersand", "https://e.example/top?&amp;amp;p=2", true},
		{"one stray ampersand", "https://e.example/top?&amp;p=2", false},
		{"too long", "https://e.example/" + strings.Repeat("x", 2000), true},
		{"empty segments", "https://e.example///a", false},
	}
	for _, c := range cases {
		if got := IsTrap(c.address); got != c.want {
			t.Errorf("%s: IsTrap(%.60s) = %v", c.name, c.address, got)
		}
	}
}

func TestLooksLikeFile(t *testing.T) {
	for address, want := range map[string]bool{
		"https://e.example/a.pdf": true, "https://e.example/a.PDF?x=1": true, "https://e.example/pic.JPEG": true,
		"https://e.example/": false, "https://e.example/a.html": false, "https://e.example/v1.2/notes": false,
		"https://pdf/": false, "https://e.pdf": false, "https://e.example/a?f=b.pdf": false, "https://e.example/page.php": false,
	} {
		if got := LooksLikeFile(address); got != want {
			t.Errorf("LooksLikeFile(%s) = %v", address, got)
		}
	}
}

func TestRedactAddress(t *testing.T) {
	for address, want := range map[string]string{
		"https://e.example/a":                            "https://e.example/a",
		"https://e.example/a?id=7&tok=secret#part":       "https://e.example/a?id=*&tok=*",
		"https://me:pw@e.example/a@b":                    "https://e.example/a@b",
		"https://e.example/a?secret":                     "https://e.example/a?*",
		"https://e.example/a?":                           "https://e.example/a",
		"https://e.example/a?free%20words%20here=1&f[]=": "https://e.example/a?*&f[]=*",
		"/rel?x=1": "/rel?x=*",
	} {
		if got := RedactAddress(address); got != want {
			t.Errorf("RedactAddress(%s) = %s, want %s", address, got, want)
		}
	}
}

func TestSeedFromInput(t *testing.T) {
	for raw, want := range map[string]string{
		"example.com":                    "https://example.com/",
		" https://example.com/x#y ":      "https://example.com/x",
		"example.com:8080/x":             "https://example.com:8080/x",
		"//example.com":                  "https://example.com/",
		"localhost:3000":                 "http://localhost:3000/",
		"127.0.0.1:8080/a":               "http://127.0.0.1:8080/a",
		"[::1]:8080":                     "http://[::1]:8080/",
		"HTTP://Example.com:80":          "http://example.com/",
		"bücher.example":                 "https://xn--bcher-kva.example/",
		"https://192.0.2.1/":             "https://192.0.2.1/",
		"https://example.com/a%20b?c=@d": "https://example.com/a%20b?c=@d",
	} {
		if got, refusal := SeedFromInput(raw); refusal != nil || got != want {
			t.Errorf("SeedFromInput(%q) = %q, %v; want %q", raw, got, refusal, want)
		}
	}
}

func TestSeedFromInputRefuses(t *testing.T) {
	for raw, code := range map[string]string{
		"":                             "url-missing",
		"  \n":                         "url-missing",
		"my site":                      "url-space",
		"https://exa mple.com":         "url-space",
		"ftp://example.com":            "scheme-not-web",
		"javascript:alert(1)":          "scheme-not-web",
		"mailto:info@example.com":      "scheme-not-web",
		"info@example.com":             "url-credentials",
		"https://u:p@example.com/":     "url-credentials",
		`https:\\u@example.com/`:       "url-credentials",
		"https://":                     "url-no-host",
		"https://:443/":                "url-no-host",
		"https://exa<mple.com/":        "url-host",
		"https://[::1":                 "url-host",
		"https://example.com:0/":       "url-port",
		"https://example.com:70000":    "url-port",
		"http://2130706433/":           "url-address-spelling",
		"http://0x7f.1/":               "url-address-spelling",
		"http://127.1/":                "url-address-spelling",
		"http://0177.0.0.1/":           "url-address-spelling",
		"http://1.2.3.4.5/":            "url-address-spelling",
		"x.example/" + long(2000, 'a'): "url-too-long",
	} {
		address, refusal := SeedFromInput(raw)
		if refusal == nil || address != "" {
			t.Errorf("SeedFromInput(%.40q) = %q, want refusal %s", raw, address, code)
			continue
		}
		if refusal.Code != code || refusal.Field != "/url" || refusal.Kind != RefusalInvalid || refusal.Remedy == "" {
			t.Errorf("SeedFromInput(%.40q) refused with %+v, want code %s", raw, *refusal, code)
		}
	}
}

func long(n int, r rune) string { return strings.Repeat(string(r), n) }

// FuzzNormalizeAddress: what comes out is stable, and an address to net/url.
func FuzzNormalizeAddress(f *testing.F) {
	for _, s := range []string{"//a/b", "http://ü.example/%zz?%", `\\h\..\x`, "http://0x1/%2e%2e/", "?&amp;p", "https://[::ffff:1.2.3.4]:99/|^{}", "http://a%2eb/"} {
		f.Add(s)
	}
	base, _ := url.Parse("https://base.example/d/e?f")
	f.Fuzz(func(t *testing.T, raw string) {
		a, err := ParseAddress(raw, base)
		if err != nil {
			return
		}
		got := a.String()
		if again, err := NormalizeAddress(got, nil); err != nil || again != got {
			t.Fatalf("%q -> %q -> %q, %v", raw, got, again, err)
		}
		u, err := url.Parse(got)
		if err != nil {
			t.Fatalf("%q -> %q: %v", raw, got, err)
		}
		if HostKey(u) != a.HostKey() {
			t.Fatalf("%q: host keys %q and %q", got, HostKey(u), a.HostKey())
		}
		if u.EscapedPath() != a.Path {
			t.Fatalf("%q: path %q, net/url %q", got, a.Path, u.EscapedPath())
		}
		key := AddressKey(u)
		if k, err := url.Parse(key); err != nil || AddressKey(k) != key {
			t.Fatalf("key of %q is not stable: %q", got, key)
		}
		IsTrap(got)
		LooksLikeFile(got)
		RedactAddress(raw)
	})
}

func BenchmarkNormalizeAddress(b *testing.B) {
	base, _ := url.Parse("https://shop.example/a/b.html")
	for b.Loop() {
		_, _ = NormalizeAddress("../products/item-17.html?colour=red", base)
	}
}
