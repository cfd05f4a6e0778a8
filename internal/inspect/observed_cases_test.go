package inspect

import "visite/schema"

// observed puts beside a document what a browser saw of it.
func observed(o schema.Observed) func(*Document) {
	return func(d *Document) { d.Observed = &o }
}

func speed(s schema.Speed) func(*Document) { return observed(schema.Observed{Speed: &s}) }

// weighs is a page of which so many bytes came from itself and from another site.
func weighs(own, other int64) func(*Document) {
	return observed(schema.Observed{Contacts: []schema.Contact{
		{Host: "shop.example", Requests: 1, Files: map[schema.FileKind]schema.FileSum{schema.FileImage: {Requests: 1, Bytes: own}}},
		{Host: "pictures.example", Requests: 1, Files: map[schema.FileKind]schema.FileSum{schema.FileImage: {Requests: 1, Bytes: other}}},
	}})
}

// observedCases are those of rules about what a browser saw.
func observedCases() []ruleCase {
	return []ruleCase{
		{"lcp-slow", "slow", at(good, speed(schema.Speed{LCPMS: 4100, LCPAt: "html > body > h1"})), true, "html > body > h1", "4100 ms", schema.FindingNeedsReview},
		{"lcp-slow", "fast", at(good, speed(schema.Speed{LCPMS: 2500})), false, "", "", ""},
		{"cls-high", "moves", at(good, speed(schema.Speed{CLS: 0.3, CLSAt: "html > body > p"})), true, "html > body > p", "0.30", ""},
		{"cls-high", "stands still", at(good, speed(schema.Speed{CLS: 0.1})), false, "", "", ""},
		{"fcp-slow", "blank", at(good, speed(schema.Speed{FCPMS: 3100})), true, "", "3100 ms", schema.FindingNeedsReview},
		{"fcp-slow", "not measured", at(good), false, "", "", ""},
		{"tbt-high", "blocked", at(good, speed(schema.Speed{TBTMS: 700, LongTasks: 3})), true, "", "700 ms in 3 tasks", schema.FindingNeedsReview},
		{"tbt-high", "free", at(good, speed(schema.Speed{TBTMS: 200, LongTasks: 3})), false, "", "", ""},
		{"page-heavy", "heavy", at(good, weighs(5_000_001, 0)), true, "", "5000 kB in 2 requests, most of it image: 5000 kB", ""},
		{"page-heavy", "at the border", at(good, weighs(5_000_000, 0)), false, "", "", ""},
		{"third-parties-heavy", "most", at(good, weighs(500_000, 600_000)), true, "", "600 kB of 1100 kB from 1 host", ""},
		{"third-parties-heavy", "little", at(good, weighs(0, 500_000)), false, "", "", ""},
	}
}
