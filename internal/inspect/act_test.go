package inspect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"visite/schema"
)

// On the W3C's accessibility test cases, the markup rules fail nothing that is in
// order: where a rule cannot be sure without a rendering it keeps quiet or asks.
// The cases are read where they are at hand; none is part of this repository.
func TestMarkupRulesRaiseNoFalseAlarm(t *testing.T) {
	shared := os.Getenv("VISITE_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	list, err := os.ReadFile(filepath.Join(shared, "act", "expected.json"))
	if err != nil {
		t.Skip("no folder of accessibility test cases")
	}
	var cases []struct {
		Path, Rule, Case, Expected string
	}
	if err := json.Unmarshal(list, &cases); err != nil {
		t.Fatal(err)
	}
	rules := map[string]string{} // ACT rule to ours
	for _, r := range pageRules {
		for _, act := range r.ACT {
			rules[act] = r.ID
		}
	}
	caught, missed, applied := 0, 0, 0
	for _, c := range cases {
		id, ours := rules[c.Rule]
		source, err := os.ReadFile(filepath.Join(shared, "act", "www", filepath.FromSlash(c.Path)))
		if !ours || err != nil || filepath.Ext(c.Path) != ".html" {
			continue
		}
		applied++
		p, _ := Page(at(string(source)), "shop.example")
		failed := slices.ContainsFunc(p.Findings, func(f schema.Finding) bool {
			return slices.Contains(f.ACTRules, c.Rule) && f.Outcome == schema.FindingFailed
		})
		switch {
		case failed && c.Expected != "failed":
			t.Errorf("false alarm of %s: %s, %s (%s)", id, c.Path, c.Case, c.Expected)
		case failed:
			caught++
		case c.Expected == "failed":
			missed++
			t.Logf("missed by %s: %s, %s", id, c.Path, c.Case)
		}
	}
	t.Logf("%d cases: %d faults caught, %d missed", applied, caught, missed)
	if applied > 0 && caught < missed {
		t.Errorf("only %d of %d faults are caught", caught, caught+missed)
	}
}
