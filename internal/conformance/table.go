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

// Written is the table as it is kept beside the code: tests by package and name,
// with their last result where one is known.
func Written(tests []Test) ([]byte, error) {
	text, err := json.MarshalIndent(tests, "", " ")
	return append(text, '\n'), err
}

// Table lists every row in the contract's order with the tests that proved it
// when the program was built.
var Table = sync.OnceValue(func() []Proof {
	var tests []Test
	if err := json.Unmarshal(table, &tests); err != nil {
		panic(err) // built into the program; a test holds it against the sources
	}
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
})
