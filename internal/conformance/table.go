package conformance

import (
	_ "embed"
	"encoding/json"
	"slices"
	"sync"
)

//go:generate go run ./print -dir ../.. -table table.json

// Proof is a row with the tests that prove it.
type Proof struct {
	Row
	Tests []Test
}

//go:embed table.json
var table []byte

// Written is the table as it is kept beside the code: tests by package and name.
// Their results are kept apart, as they change without it.
func Written(tests []Test) ([]byte, error) {
	text, err := json.MarshalIndent(tests, "", " ")
	return append(text, '\n'), err
}

// Table lists every row in the contract's order with the tests that proved it
// when the program was built, and how those went where the program carries that.
var Table = sync.OnceValue(func() []Proof { return TableWith(Carried()) })

// TableWith is Table with the results given.
func TableWith(results Results) []Proof {
	var tests []Test
	if err := json.Unmarshal(table, &tests); err != nil {
		panic(err) // built into the program; a test holds it against the sources
	}
	results.AddTo(tests)
	list := make([]Proof, len(Rows))
	for i, r := range Rows {
		list[i].Row = r
		for _, t := range tests {
			if slices.Contains(t.Rows, r.ID) {
				list[i].Tests = append(list[i].Tests, t)
			}
		}
	}
	return list
}

// Failed tells that a test of the row failed when it last ran.
func (p Proof) Failed() bool {
	return slices.ContainsFunc(p.Tests, func(t Test) bool { return t.Result == Failed })
}
