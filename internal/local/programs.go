package local

import (
	"os/exec"
	"path/filepath"

	"visite/internal/browser"
	"visite/internal/config"
	"visite/internal/pgcluster"
	"visite/internal/toolpath"
)

// CheckPrograms reports what of the programs a local stack starts is not there:
// a *config.Fault where a setting names it, else what to install. Nothing is
// started.
func CheckPrograms(cfg config.Config) error {
	if cfg.Temporal != "" && !toolpath.IsProgram(cfg.Temporal) {
		return notThere("TEMPORAL", cfg.Temporal, "the temporal command")
	}
	if _, err := toolpath.Temporal(); err != nil {
		return err
	}
	if set := cfg.PostgresBin; set != "" && !hasPostgres(set) {
		return &config.Fault{
			Variable: config.Prefix + "POSTGRES_BIN", What: "names " + set + ", where the programs postgres and initdb are not",
			Remedy: "Name the folder with both, or leave it out to have them looked for.",
		}
	}
	if _, err := pgcluster.Find(); err != nil {
		return err
	}
	return checkChromium(cfg)
}

// checkChromium keeps a worker from starting that could open no page: its steps
// would be repeated for ever.
func checkChromium(cfg config.Config) error {
	if cfg.Chromium == "" {
		_, err := browser.Find()
		return err
	}
	if _, err := exec.LookPath(cfg.Chromium); err != nil {
		return notThere("CHROMIUM", cfg.Chromium, "Chromium's program")
	}
	return nil
}

func notThere(name, path, what string) error {
	return &config.Fault{
		Variable: config.Prefix + name, What: "names " + path + ", which is no program that can be started",
		Remedy: "Name " + what + ", or leave it out to have it looked for.",
	}
}

// hasPostgres takes the folder, or the postgres program in it.
func hasPostgres(set string) bool {
	if filepath.Base(set) == "postgres" && toolpath.IsProgram(set) {
		set = filepath.Dir(set)
	}
	return toolpath.IsProgram(filepath.Join(set, "postgres")) && toolpath.IsProgram(filepath.Join(set, "initdb"))
}
