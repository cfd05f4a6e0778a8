package main

import (
	"cmp"
	"context"
	"net/url"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"visite/internal/config"
	"visite/internal/local"
)

// deployment is whom a command speaks to: an API that is named by flags or
// settings, else the local stack.
type deployment struct{ api, tokenFile string }

func (d *deployment) flags(fl *pflag.FlagSet) {
	fl.StringVar(&d.api, "api", "", "address of a deployment's API instead of the local stack (or VISITE_API)")
	fl.StringVar(&d.tokenFile, "token-file", "", "file with that API's token (or VISITE_TOKEN_FILE)")
}

// connect gives a client of the deployment that is named, else of the local
// stack, which it starts where none runs; logs is that stack's folder of logs.
func (d deployment) connect(ctx context.Context, std streams) (c *client, logs string, err error) {
	cfg, err := config.Load(os.Environ())
	if err != nil {
		return nil, "", &codedError{exitUsage, err}
	}
	base := cmp.Or(d.api, cfg.API)
	if base == "" {
		if d.tokenFile != "" {
			return nil, "", usagef("--token-file: only with --api; the local stack has a token of its own")
		}
		c, state, err := localClient(ctx, std)
		return c, filepath.Join(state.Data, "logs"), err
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, "", usagef("--api: %q is no web address; write it as https://visite.example", base)
	}
	file := cmp.Or(d.tokenFile, cfg.TokenFile)
	if file == "" {
		return nil, "", usagef("--token-file: is missing; --api needs a file with the token that its operator gave you")
	}
	token, err := local.ReadToken(file)
	if err != nil {
		return nil, "", usagef("--token-file: %s cannot be used: %w; name the file with the token that the API's operator gave you", file, reason(err))
	}
	c, err = newClient(base, token)
	return c, "", err
}

// command is a command line of ours that speaks to the same deployment.
func (d deployment) command(name string) string {
	line := calledAs() + " " + name
	if d.api != "" {
		line += " --api " + shellWord(d.api)
	}
	if d.tokenFile != "" {
		line += " --token-file " + shellWord(d.tokenFile)
	}
	return line
}
