package site

import (
	"testing"

	"visite/schema"
)

// The site's other name is told once, where a check of a link found that it answers
// by itself.
func TestTheOtherNameAnswersByItself(t *testing.T) {
	checked := func(address string, check *schema.LinkCheck) *build {
		b := &build{}
		home, second := b.page("/", 200), b.page("/second", 200)
		id := b.link(address, 0, home, second)
		l := &b.f.Links[id-1]
		l.Navigable, l.Check = true, check
		return b
	}
	ok := func() *schema.LinkCheck { return &schema.LinkCheck{Verdict: schema.LinkOK, Status: 200} }
	expect(t, checked("https://www.shop.example/a", ok()), "1 host-twin: 200 https://www.shop.example/a")
	expect(t, checked("https://www.other.example/a", ok()))
	expect(t, checked("https://wwwshop.example/a", ok()))
	expect(t, checked("https://www.shop.example/a", &schema.LinkCheck{Verdict: schema.LinkRedirects, Status: 301, Target: host + "/a"}))
	expect(t, checked("https://www.shop.example/a", nil))
}
