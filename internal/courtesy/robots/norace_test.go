//go:build !race

package robots

const raceFactor = 1
