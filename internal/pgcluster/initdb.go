package pgcluster

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// adminRole is the cluster's superuser; its password is in the folder.
const adminRole = "visite"

// ensureData makes the cluster's files unless they are there. They are made
// beside their place and moved in, so that an interrupted start leaves nothing half made.
func ensureData(ctx context.Context, bin, dir string, who account) (data, password string, err error) {
	data = filepath.Join(dir, "data")
	secret := filepath.Join(dir, "password")
	if _, err := os.Stat(filepath.Join(data, "PG_VERSION")); err == nil {
		kept, err := os.ReadFile(secret)
		if err != nil {
			return "", "", fmt.Errorf("read the cluster's password: %w", err)
		}
		return data, string(kept), nil
	}
	password = rand.Text()
	fresh := filepath.Join(dir, "data.new")
	if err := os.RemoveAll(fresh); err != nil {
		return "", "", err
	}
	if err := os.Mkdir(fresh, 0o700); err != nil {
		return "", "", err
	}
	if err := who.own(fresh); err != nil {
		return "", "", err
	}
	if err := os.WriteFile(secret, []byte(password), 0o600); err != nil {
		return "", "", err
	}
	if err := initdb(ctx, bin, fresh, password, who); err != nil {
		return "", "", err
	}
	return data, password, os.Rename(fresh, data)
}

func initdb(ctx context.Context, bin, fresh, password string, who account) error {
	// initdb reads the password from a file of its own account.
	file, err := os.CreateTemp(filepath.Dir(fresh), "initial-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(password)
	if err := firstError(err, file.Close(), who.own(file.Name())); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "--pgdata", fresh, "--username", adminRole, "--pwfile", file.Name(),
		"--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C", "--no-sync", "--no-instructions")
	cmd.Env = serverEnv()
	cmd.Dir = filepath.Dir(fresh)
	cmd.SysProcAttr = who.attr()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// programsFor picks the installed programs that fit the folder's data, the
// best ones for a folder yet empty.
func programsFor(ctx context.Context, dir string) (string, error) {
	all := installed()
	if len(all) == 0 {
		return "", ErrNotFound
	}
	made, err := os.ReadFile(filepath.Join(dir, "data", "PG_VERSION"))
	if err != nil {
		return all[0], nil
	}
	want := versionIn(string(made))
	for _, bin := range all {
		out, err := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "--version").Output()
		if err == nil && versionIn(string(out)) == want {
			return bin, nil
		}
	}
	return "", fmt.Errorf("the data in %s was made by PostgreSQL %d, which is not installed (found: %s): install it, set %s, or move the folder away",
		dir, want, strings.Join(all, ", "), EnvBin)
}
