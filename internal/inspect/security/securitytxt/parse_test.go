package securitytxt

import (
	"slices"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	const good = "Contact: mailto:security@shop.example\nExpires: 2027-01-31T23:00:00z\n"
	for name, c := range map[string]struct {
		body, media string
		found       bool
		contacts    int
		faults      []string
	}{
		"complete":           {"# Our contact\r\n" + good + "Preferred-Languages: de, en\r\nCanonical: https://shop.example/.well-known/security.txt\r\n", "text/plain", true, 1, nil},
		"signed":             {"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n" + good + "-----BEGIN PGP SIGNATURE-----\n\nabc\n", "text/plain", true, 1, nil},
		"several contacts":   {good + "CONTACT: https://shop.example/report\ncontact: tel:+49-1", "text/plain", true, 3, nil},
		"no expiry":          {"Contact: mailto:a@shop.example", "text/plain", true, 1, []string{NoExpires}},
		"expiry twice":       {good + "Expires: 2027-01-31T23:00:00Z", "text/plain", true, 1, []string{ManyExpires}},
		"expiry in words":    {"Contact: tel:+1\nExpires: next year", "text/plain", true, 1, []string{BadExpires}},
		"no contact":         {"Expires: 2027-01-31T23:00:00Z", "text/plain", true, 0, []string{NoContact}},
		"bare mail address":  {"Contact: a@shop.example\nExpires: 2027-01-31T23:00:00Z", "text/plain", true, 1, []string{BadContact}},
		"insecure addresses": {good + "Policy: http://shop.example/p", "text/plain", true, 1, []string{InsecureFields}},
		"languages twice":    {good + "Preferred-Languages: de\nPreferred-Languages: en", "text/plain", true, 1, []string{ManyLanguages}},
		"other media type":   {good, "application/octet-stream", true, 1, []string{NotPlainText}},
		"not UTF-8":          {good + "# \xff", "text/plain", true, 1, []string{NotUTF8}},
		"a page":             {"<!doctype html><title>Not here</title>", "text/html", false, 0, nil},
		"a page as text":     {" <html>Contact: x</html>", "text/plain", false, 0, nil},
		"other text":         {"Not found: nothing here", "text/plain", false, 0, nil},
		"empty":              {"", "text/plain", false, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f, found := Parse([]byte(c.body), c.media)
			if found != c.found || f.Contacts != c.contacts || !slices.Equal(f.Faults, c.faults) {
				t.Errorf("found %v, %+v", found, f)
			}
		})
	}
	f, _ := Parse([]byte(good), "text/plain")
	if want := time.Date(2027, 1, 31, 23, 0, 0, 0, time.UTC); !f.Expires.Equal(want) || f.Signed {
		t.Errorf("%+v", f)
	}
}
