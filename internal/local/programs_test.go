package local

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"visite/internal/config"
)

// A program that a setting names and that is not there is refused by the
// setting's name, before anything is started.
func TestCheckProgramsNamesTheSetting(t *testing.T) {
	needServices(t)
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cfg      config.Config
		variable string
	}{
		{config.Config{Chromium: filepath.Join(dir, "none")}, "VISITE_CHROMIUM"},
		{config.Config{Chromium: plain}, "VISITE_CHROMIUM"},
		{config.Config{Chromium: dir}, "VISITE_CHROMIUM"},
		{config.Config{PostgresBin: filepath.Join(dir, "none")}, "VISITE_POSTGRES_BIN"},
		{config.Config{PostgresBin: dir}, "VISITE_POSTGRES_BIN"},
		{config.Config{PostgresBin: filepath.Join(dir, "postgres")}, "VISITE_POSTGRES_BIN"},
		{config.Config{Temporal: plain}, "VISITE_TEMPORAL"},
	} {
		var f *config.Fault
		if err := CheckPrograms(c.cfg); !errors.As(err, &f) || f.Variable != c.variable || f.Remedy == "" {
			t.Errorf("%+v: %v, want a fault of %s", c.cfg, err, c.variable)
		}
	}
	program := filepath.Join(dir, "chromium")
	for _, name := range []string{"chromium", "postgres", "initdb"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, bin := range []string{dir, filepath.Join(dir, "postgres")} {
		if err := CheckPrograms(config.Config{Chromium: program, PostgresBin: bin}); err != nil {
			t.Errorf("good settings: %v", err)
		}
	}
}

// A worker refuses at once, without database or Temporal.
func TestWorkerRefusesAMissingChromium(t *testing.T) {
	var f *config.Fault
	err := RunWorker(context.Background(), config.Config{Chromium: "/nowhere/chromium"}, slog.New(slog.DiscardHandler))
	if !errors.As(err, &f) || f.Variable != "VISITE_CHROMIUM" {
		t.Errorf("%v", err)
	}
}
