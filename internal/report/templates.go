package report

import (
	"cmp"
	"fmt"
	"slices"

	"visite/schema"
)

// Bounds of the templates told apart; pages of others are counted in templates_left.
const (
	templatesKept   = 1000
	structuresAPath = 8 // of one path shape
)

// Template is an item of the key "templates": pages of one path shape that are built alike.
type Template struct {
	Path      string `json:"path"`      // shape of the path
	Structure string `json:"structure"` // of the first of its pages, 16 hex digits; empty where it is not known
	Pages     int    `json:"pages"`     // analysed
	Faulty    int    `json:"faulty"`    // of these, those with a failed finding
	Faults    int    `json:"faults"`
	Example   string `json:"example"`
	structure uint64
}

// templateSums groups analysed pages, in the order of their ids, in bounded memory.
type templateSums struct {
	paths map[string][]*Template
	count int
	left  int // pages of templates beyond the bounds
}

func (s *templateSums) add(p schema.Page) {
	if p.Outcome != schema.OutcomeAnalysed {
		return
	}
	if s.paths == nil {
		s.paths = map[string][]*Template{}
	}
	t := s.of(schema.PathShape(p.URL), p)
	if t == nil {
		s.left++
		return
	}
	t.Pages++
	before := t.Faults
	for _, f := range p.Findings {
		if f.Outcome == schema.FindingFailed {
			t.Faults++
		}
	}
	if t.Faults > before {
		t.Faulty++
	}
}

func (s *templateSums) of(path string, p schema.Page) *Template {
	kin := s.paths[path]
	for _, t := range kin {
		if schema.SameStructure(t.structure, p.Structure) {
			return t
		}
	}
	if s.count == templatesKept || len(kin) == structuresAPath {
		return nil
	}
	t := &Template{Path: path, Structure: structureWord(p.Structure), structure: p.Structure, Example: p.URL}
	s.paths[path] = append(kin, t)
	s.count++
	return t
}

// structureWord writes a structure as 16 hex digits.
func structureWord(structure uint64) string {
	if structure == 0 {
		return ""
	}
	return fmt.Sprintf("%016x", structure)
}

// ordered lists those with most pages first.
func (s *templateSums) ordered() []*Template {
	out := make([]*Template, 0, s.count)
	for _, kin := range s.paths {
		out = append(out, kin...)
	}
	slices.SortFunc(out, func(a, b *Template) int {
		return cmp.Or(b.Pages-a.Pages, cmp.Compare(a.Path, b.Path), cmp.Compare(a.Example, b.Example))
	})
	return out
}
