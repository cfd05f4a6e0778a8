package main

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"visite/internal/config"
	"visite/internal/courtesy/robots"
)

func robotsCommand(std streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "robots",
		Short: "Questions about robots.txt",
		Args:  takes(0, ""),
		RunE: func(c *cobra.Command, _ []string) error {
			return usagef("robots needs a question; use `visite robots explain`")
		},
	}
	c.AddCommand(explainCommand(std))
	return c
}

// explainFlags are `visite robots explain`'s flags as written.
type explainFlags struct {
	profile, file, urls string
	agents              []string
}

func explainCommand(std streams) *cobra.Command {
	var f explainFlags
	c := &cobra.Command{
		Use:   "explain URL...",
		Short: "Say whether robots.txt allows addresses, and by which line",
		Long: `Judge addresses by the rules of a robots.txt (RFC 9309) and print one JSON line each:
url, allow, group, rule, line, crawl_delay_s, star_allow (what the * group alone
would say) and source. Nothing is fetched.`,
		Example: `  visite robots explain --robots robots.txt https://example.org/a https://example.org/b
  visite robots explain --robots robots.txt --agent Googlebot --urls - < urls.txt`,
		RunE: func(_ *cobra.Command, args []string) error { return f.run(std, args) },
	}
	c.Flags().StringVar(&f.profile, "profile", config.DefaultProfile, "profile whose tokens are looked for")
	c.Flags().StringSliceVar(&f.agents, "agent", nil, "product token to look for instead of a profile's; may be repeated")
	c.Flags().StringVar(&f.file, "robots", "", "file with the robots.txt, - for stdin")
	c.Flags().StringVar(&f.urls, "urls", "", "file with further addresses, one a line, - for stdin")
	return c
}

func (f *explainFlags) run(std streams, args []string) error {
	switch {
	case f.file == "":
		return usagef("--robots: is missing; name the file with the robots.txt, or - for stdin")
	case f.file == "-" && f.urls == "-":
		return usagef("--robots and --urls: only one of them can be stdin; name a file for the other")
	case len(args) == 0 && f.urls == "":
		return usagef("a URL to judge is missing; write one, or name a file of them with --urls")
	}
	tokens, err := f.tokens()
	if err != nil {
		return err
	}
	body, err := f.rules(std)
	if err != nil {
		return err
	}
	list, end, err := f.lines(std)
	if err != nil {
		return err
	}
	err = robots.Explain(std.out, tokens, robots.Parse(body), f.file, func(yield func(string) bool) {
		for _, u := range args {
			if !yield(u) {
				return
			}
		}
		list(yield)
	})
	if err == nil {
		err = end()
	}
	return err
}

func (f *explainFlags) tokens() ([]string, error) {
	if len(f.agents) > 0 {
		if slices.Contains(f.agents, "") {
			return nil, usagef("--agent: an empty token names nobody; leave it out")
		}
		return f.agents, nil
	}
	cfg, err := config.Load(os.Environ())
	if err != nil {
		return nil, &codedError{exitUsage, err}
	}
	profiles, err := config.LoadProfiles(cfg.ProfilesDir)
	if err != nil {
		return nil, &codedError{exitUsage, err}
	}
	p, ok := profiles.Profile(f.profile)
	if !ok {
		return nil, usagef("--profile: %q is unknown; there are %s", f.profile, profileNames(profiles))
	}
	return p.Tokens, nil
}

func profileNames(p config.Profiles) string {
	names := ""
	for i, one := range p.All() {
		if i > 0 {
			names += ", "
		}
		names += one.Name
	}
	return names
}

// rules reads what counts of the robots.txt, and one octet more so that the cut
// line is known.
func (f *explainFlags) rules(std streams) ([]byte, error) {
	in := std.in
	if f.file != "-" {
		file, err := os.Open(f.file)
		if err != nil {
			return nil, usagef("--robots: %w", err)
		}
		defer file.Close()
		in = file
	}
	body, err := io.ReadAll(io.LimitReader(in, robots.MaxBody+1))
	if err != nil {
		return nil, usagef("--robots: %w", err)
	}
	return body, nil
}

// lines gives the addresses of --urls as they come, empty lines left out; end
// tells how reading went and closes the file.
func (f *explainFlags) lines(std streams) (list iter.Seq[string], end func() error, err error) {
	if f.urls == "" {
		return func(func(string) bool) {}, func() error { return nil }, nil
	}
	in, closing := std.in, func() error { return nil }
	if f.urls != "-" {
		file, err := os.Open(f.urls)
		if err != nil {
			return nil, nil, usagef("--urls: %w", err)
		}
		in, closing = file, file.Close
	}
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, 1<<20)
	list = func(yield func(string) bool) {
		for scanner.Scan() {
			if u := scanner.Text(); u != "" && !yield(u) {
				return
			}
		}
	}
	return list, func() error {
		if err := scanner.Err(); err != nil {
			_ = closing()
			return fmt.Errorf("--urls: %w", err)
		}
		return closing()
	}, nil
}
