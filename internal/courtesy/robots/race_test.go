//go:build race

package robots

// raceFactor is what the race detector costs.
const raceFactor = 20
