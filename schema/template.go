package schema

import "math/bits"

// structureNear is how many of 64 bits the structures of two pages of one template
// may differ in: pages that share nine in ten of their ways differ in about 7,
// such that share half in about 21.
const structureNear = 12

// StructureDistance counts the bits that two structures (Page.Structure) differ in.
func StructureDistance(a, b uint64) int { return bits.OnesCount64(a ^ b) }

// SameStructure tells whether two pages of one path shape are built alike. A page
// without a structure is like any other.
func SameStructure(a, b uint64) bool {
	return a == 0 || b == 0 || StructureDistance(a, b) <= structureNear
}
