package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"visite/deployments/profiles"
	"visite/schema"
)

// DefaultProfile is the profile of a scan that names none.
const DefaultProfile = "visite"

// Profiles are the identities this process knows, by name.
type Profiles struct{ byName map[string]schema.Profile }

// LoadProfiles reads the profiles shipped with the program and, where dir is not
// empty, those of a folder; one of the same name replaces the shipped one. It
// reports all faults of all files at once.
func LoadProfiles(dir string) (Profiles, error) {
	p := Profiles{byName: map[string]schema.Profile{}}
	errs := p.add(profiles.FS)
	if dir != "" {
		if _, err := os.Stat(dir); err != nil {
			errs = append(errs, fault("PROFILES_DIR", "cannot be read", "Name a folder that exists: "+filepath.Clean(dir)+"."))
		} else {
			errs = append(errs, p.add(os.DirFS(dir))...)
		}
	}
	return p, errors.Join(errs...)
}

func (p Profiles) add(files fs.FS) []error {
	var names []string
	for _, pattern := range []string{"*.yaml", "*.yml"} {
		found, err := fs.Glob(files, pattern)
		if err != nil {
			return []error{fmt.Errorf("list profiles: %w", err)}
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	var errs []error
	seen := map[string]string{}
	for _, name := range names {
		profile, err := readProfile(files, name)
		if other, twice := seen[profile.Name]; err == nil && twice {
			err = fmt.Errorf("profile %q stands in %s too", profile.Name, other)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		seen[profile.Name] = name
		p.byName[profile.Name] = profile
	}
	return errs
}

// readProfile decodes strictly: a misspelt key must not leave a limit unset.
func readProfile(files fs.FS, name string) (schema.Profile, error) {
	var profile schema.Profile
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return profile, err
	}
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(&profile); err != nil {
		return profile, fmt.Errorf("no profile: %w", err)
	}
	errs := []error{profile.Validate()}
	for _, ua := range []string{profile.UserAgents.Browser, profile.UserAgents.Client} {
		if strings.ContainsFunc(ua, func(r rune) bool { return r < ' ' || r > '~' }) {
			errs = append(errs, fmt.Errorf("user agent %q has characters a header cannot carry", ua))
		}
	}
	if profile.Contact != "" && !ValidContact(profile.Contact) {
		errs = append(errs, fmt.Errorf("contact %q is neither an e-mail address nor a web address", profile.Contact))
	}
	return profile, errors.Join(errs...)
}

// Profile returns the profile of that name.
func (p Profiles) Profile(name string) (schema.Profile, bool) {
	profile, ok := p.byName[name]
	return profile, ok
}

// All lists the profiles by name.
func (p Profiles) All() []schema.Profile {
	list := make([]schema.Profile, 0, len(p.byName))
	for _, name := range slices.Sorted(maps.Keys(p.byName)) {
		list = append(list, p.byName[name])
	}
	return list
}
