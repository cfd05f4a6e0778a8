package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"net/url"
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
		Args:  onlySubcommands,
		RunE: func(c *cobra.Command, _ []string) error {
			return usagef("robots needs a question; use `%s explain`", c.CommandPath())
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
would say) and source. Without --robots the hosts' own files are read, at most
five, through the local stack at the usual pace; nothing else of them is fetched.`,
		Example: `  visite robots explain https://example.org/a
  visite robots explain --robots robots.txt https://example.org/a https://example.org/b
  visite robots explain --robots robots.txt --agent Googlebot --urls - < urls.txt`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), std, args) },
	}
	c.Flags().StringVar(&f.profile, "profile", config.DefaultProfile, "profile whose tokens are looked for")
	c.Flags().StringSliceVar(&f.agents, "agent", nil, "product token to look for instead of a profile's; may be repeated")
	c.Flags().StringVar(&f.file, "robots", "", "file with the robots.txt, - for stdin; left out, the hosts' own are read")
	c.Flags().StringVar(&f.urls, "urls", "", "file with further addresses, one a line, - for stdin")
	return c
}

func (f *explainFlags) run(ctx context.Context, std streams, args []string) error {
	switch {
	case f.file == "-" && f.urls == "-":
		return usagef("--robots and --urls: only one of them can be stdin; name a file for the other")
	case len(args) == 0 && f.urls == "":
		return usagef("a URL to judge is missing; write one, or name a file of them with --urls")
	}
	tokens, err := f.tokens()
	if err != nil {
		return err
	}
	list, end, err := f.lines(std)
	if err != nil {
		return err
	}
	var odd error
	all := webAddresses(args, list, &odd)
	if f.file == "" {
		urls := slices.Collect(all)
		if err := end(); odd != nil || err != nil {
			return cmp.Or(odd, err)
		}
		return f.ask(ctx, std, urls)
	}
	body, err := f.rules(std)
	if err != nil {
		return err
	}
	err = robots.Explain(std.out, tokens, robots.Parse(body), f.file, all)
	return cmp.Or(odd, err, end())
}

// webAddresses gives the arguments, then the listed lines, up to one that is no
// web address, which odd tells.
func webAddresses(args []string, list iter.Seq[string], odd *error) iter.Seq[string] {
	return func(yield func(string) bool) {
		each := func(address string) bool {
			u, err := url.Parse(address)
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
				*odd = usagef("%q is no web address; write it whole, as https://example.org/page", address)
				return false
			}
			return yield(address)
		}
		for _, address := range args {
			if !each(address) {
				return
			}
		}
		list(each)
	}
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
			return nil, usagef("--robots: %s cannot be read: %w; name the file with the robots.txt, - for stdin, or leave the flag out", f.file, reason(err))
		}
		defer file.Close()
		in = file
	}
	body, err := io.ReadAll(io.LimitReader(in, robots.MaxBody+1))
	if err != nil {
		return nil, usagef("--robots: %s cannot be read: %w; name the file with the robots.txt, or - for stdin", f.file, reason(err))
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
			return nil, nil, usagef("--urls: %s cannot be read: %w; name a file with one address a line, or - for stdin", f.urls, reason(err))
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
