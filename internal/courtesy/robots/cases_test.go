package robots

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// sharedCases finds the collection of cases next to the repository, or skips.
func sharedCases(t *testing.T, name string) string {
	t.Helper()
	if root := os.Getenv("VISITE_SHARED"); root != "" {
		return filepath.Join(root, "cases", "robots", name)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		file := filepath.Join(dir, "shared", "cases", "robots", name)
		if _, err := os.Stat(file); err == nil {
			return file
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Skip("the shared cases are not here")
		}
		dir = parent
	}
}

// proves S-26, S-29, S-30, S-31, S-46, S-47, R-01
func TestDecisionsOfSharedCases(t *testing.T) {
	for _, name := range []string{"rules.jsonl", "open.jsonl"} {
		file, err := os.Open(sharedCases(t, name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		in := bufio.NewScanner(file)
		in.Buffer(nil, 1<<20)
		n := 0
		for in.Scan() {
			var c struct {
				ID           string          `json:"id"`
				Robots       string          `json:"robots"`
				Octets       []byte          `json:"robots_b64"`
				Agents       []string        `json:"agents"`
				URL          string          `json:"url"`
				Allow        bool            `json:"allow"`
				Delay        json.RawMessage `json:"crawl_delay_s"`
				DelayAtLeast float64         `json:"crawl_delay_at_least_s"`
				Why          string          `json:"why"`
			}
			if err := json.Unmarshal(in.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			n++
			if c.Octets == nil {
				c.Octets = []byte(c.Robots)
			}
			f := Parse(c.Octets)
			if d := f.Decide(c.Agents, c.URL); d.Allow != c.Allow {
				t.Errorf("%s: allow %v, want %v: %s (rule %q, line %d)", c.ID, d.Allow, c.Allow, c.Why, d.Rule, d.Line)
			}
			delay, stated := f.CrawlDelay(c.Agents)
			switch {
			case string(c.Delay) == "null":
				if stated {
					t.Errorf("%s: Crawl-delay %v, want none", c.ID, delay)
				}
			case c.Delay != nil:
				var want float64
				if err := json.Unmarshal(c.Delay, &want); err != nil {
					t.Fatal(err)
				}
				if !stated || delay.Seconds() != want {
					t.Errorf("%s: Crawl-delay %v (%v), want %v s", c.ID, delay, stated, want)
				}
			}
			if delay.Seconds() < c.DelayAtLeast {
				t.Errorf("%s: Crawl-delay %v, want at least %v s", c.ID, delay, c.DelayAtLeast)
			}
		}
		if err := in.Err(); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			t.Errorf("%s: no cases", name)
		}
	}
}
