package pgcluster

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"visite/internal/toolpath"
)

// EnvBin names the variable that says where PostgreSQL's server programs are:
// the folder, or the postgres program in it.
const EnvBin = "VISITE_POSTGRES_BIN"

// ErrNotFound is returned where no PostgreSQL server programs are installed.
var ErrNotFound = errors.New("PostgreSQL server programs (postgres, initdb) were not found; " +
	"install the package postgresql or set " + EnvBin + " to their folder")

// Find gives the folder with the programs postgres and initdb: from
// VISITE_POSTGRES_BIN, PATH, a folder of toolpath.Folders, or the
// distribution's usual places (highest version first). ErrNotFound otherwise.
func Find() (bin string, err error) {
	all := installed()
	if len(all) == 0 {
		return "", ErrNotFound
	}
	return all[0], nil
}

// installed lists the folders with both programs, best first.
func installed() []string {
	var found []string
	for _, dir := range places() {
		if toolpath.IsProgram(filepath.Join(dir, "postgres")) && toolpath.IsProgram(filepath.Join(dir, "initdb")) && !slices.Contains(found, dir) {
			found = append(found, dir)
		}
	}
	return found
}

func places() []string {
	var dirs []string
	if set := os.Getenv(EnvBin); set != "" {
		if filepath.Base(set) == "postgres" {
			set = filepath.Dir(set)
		}
		dirs = append(dirs, set)
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		dirs = append(dirs, filepath.Dir(path))
	}
	dirs = append(dirs, toolpath.Folders()...)
	usual, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	others, _ := filepath.Glob("/usr/pgsql-*/bin")
	usual = append(usual, others...)
	slices.SortFunc(usual, func(a, b string) int { return cmp.Compare(versionIn(b), versionIn(a)) })
	return append(append(dirs, usual...), "/usr/local/pgsql/bin")
}

var digits = regexp.MustCompile(`\d+`)

// versionIn reads the first number of a path or of "postgres (PostgreSQL) 15.9"; 0 where there is none.
func versionIn(s string) int {
	n, _ := strconv.Atoi(digits.FindString(s))
	return n
}
