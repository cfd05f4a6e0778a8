package robotsfile

import (
	"testing"

	"visite/schema"
)

func TestExamine(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want schema.RobotsFile
	}{
		"in order":  {"\xef\xbb\xbf# ours\r\nUser-Agent : *\r\nDisallow: /x # not this\rAllow:\nSITEMAP: https://shop.example/s.xml\n\n", schema.RobotsFile{Bytes: 92, Sitemaps: 1}},
		"a page":    {" \n<!DOCTYPE html><p>User-agent: *", schema.RobotsFile{Bytes: 33, Markup: true}},
		"odd lines": {"Dissallow: /\n/private\nnoindex: /a\nUser-agent: *", schema.RobotsFile{Bytes: 47, Unknown: 2, Noindex: 1}},
		"latin1":    {"Disallow: /\xfcber", schema.RobotsFile{Bytes: 15, NotUTF8: true}},
		"empty":     {"", schema.RobotsFile{}},
	} {
		if got := Examine([]byte(c.body)); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
