package archtest

import (
	"fmt"
	"strings"
)

// Room says what one package, or a tree of packages, may reach.
type Room struct {
	Path  string   // "schema"; "internal/inspect/..." is the package and all below
	May   []string // own packages it may import directly, beside its own tree; "..." for all
	Never []string // paths it must not reach, not even through others
}

// Reserve keeps a library to some packages.
type Reserve struct {
	Library string   // import path or the beginning of one
	Only    []string // packages that may import it directly
}

// matches reports whether a path is the pattern, or lies below a pattern "x/...".
func matches(pattern, path string) bool {
	if pattern == "..." {
		return true
	}
	if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == tree || strings.HasPrefix(path, tree+"/")
	}
	return pattern == path
}

func matchesAny(patterns []string, path string) bool {
	for _, p := range patterns {
		if matches(p, path) {
			return true
		}
	}
	return false
}

// roomOf finds the most particular room of a package.
func roomOf(rooms []Room, path string) (Room, bool) {
	best, found := Room{}, false
	for _, r := range rooms {
		if matches(r.Path, path) && (!found || len(r.Path) > len(best.Path)) {
			best, found = r, true
		}
	}
	return best, found
}

// CheckImports holds each package against its room. A package without a room is
// a breach: whoever adds one says what it may reach.
func CheckImports(packages []Package, rooms []Room) []Breach {
	var out []Breach
	for _, p := range packages {
		room, ok := roomOf(rooms, p.Path)
		if !ok {
			out = append(out, Breach{p.Path, "the package has no entry in the import rules"})
			continue
		}
		for _, path := range p.Imports {
			if ours, isOurs := strings.CutPrefix(path, own); isOurs && !matches(room.Path, ours) && !matchesAny(room.May, ours) {
				out = append(out, Breach{p.Path, fmt.Sprintf("must not import %s", ours)})
			}
		}
		for _, path := range p.Deps {
			if matchesAny(room.Never, path) {
				out = append(out, Breach{p.Path, fmt.Sprintf("must not reach %s, not even through another package", strings.TrimPrefix(path, own))})
			}
		}
	}
	return out
}

// CheckReserves finds libraries imported outside of the packages they are kept to.
func CheckReserves(packages []Package, reserves []Reserve) []Breach {
	var out []Breach
	for _, p := range packages {
		for _, path := range p.Imports {
			for _, r := range reserves {
				if matches(r.Library+"/...", path) && !matchesAny(r.Only, p.Path) {
					out = append(out, Breach{p.Path, fmt.Sprintf("must not import %s, which is kept to %s", path, strings.Join(r.Only, ", "))})
				}
			}
		}
	}
	return out
}
