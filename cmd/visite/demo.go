package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"visite/internal/fixturesite"
	"visite/internal/local"
)

// demoProfile has no pauses: the demo site is this machine's own.
const demoProfile = "loopback"

func demoCommand(std streams) *cobra.Command {
	var folder string
	c := &cobra.Command{
		Use:   "demo",
		Short: "Scan a bundled site with planted faults and write its report",
		Long: `Serve the bundled site of a small rowing club on this machine, scan it on the local
stack (started in the background if none runs), and write report.html and report.json.`,
		Args: takes(0, ""),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := noEmptyFlags(c); err != nil {
				return err
			}
			return runDemo(c.Context(), std, folder)
		},
	}
	c.Flags().StringVarP(&folder, "output", "o", "demo-report", "folder for report.html and report.json")
	return c
}

func runDemo(parent context.Context, std streams, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return usagef("--output: the folder %s cannot be made: %w; name another", folder, reason(err))
	}
	files := map[string]string{}
	for _, format := range []string{"html", "json"} {
		files[format] = filepath.Join(folder, "report."+format)
		if _, err := openOutput("--output", files[format], std.out); err != nil {
			return err
		}
	}
	ctx, interrupted := onInterrupt(parent)
	defer interrupted.release()
	beforeScan, stop := until(ctx, interrupted.first)
	defer stop()
	api, state, err := localClient(beforeScan, std)
	if err != nil {
		return err
	}
	site := fixturesite.Demo()
	base, err := site.Listen("127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("serve the demo site: %w", err)
	}
	defer site.Close()
	fmt.Fprintf(std.err, "Scanning the demo site at %s\n", base)
	run := scanRun{api: api, show: newProgress(std.err, false), cancelled: interrupted.first, again: calledAs() + " cancel"}
	run.show.logs = filepath.Join(state.Data, "logs")
	end, err := run.scan(ctx, scanOrder{url: base + "/", engine: "browser", profile: demoProfile})
	if err != nil {
		return err
	}
	rep, err := run.report(ctx, end)
	if err != nil {
		return err
	}
	for format, path := range files {
		content, err := run.render(ctx, rep, format)
		if err != nil {
			return err
		}
		if err := writeFile(path, content); err != nil {
			return fmt.Errorf("the report could not be written: %w", err)
		}
	}
	printDemo(std, rep, files, state)
	return verdict(rep, "none")
}

func printDemo(std streams, r result, files map[string]string, s local.State) {
	for format, path := range files {
		if abs, err := filepath.Abs(path); err == nil {
			files[format] = abs
		}
	}
	fmt.Fprintf(std.out, `
Analysed %s%s, found %s.

  report     %s
  data       %s
  Web UI     %s
  API docs   %s/docs

The local stack keeps running; %[8]s down ends it. To scan a site of your own:

  %[8]s scan http://127.0.0.1:3000/
  %[8]s scan https://example.org/ --contact you@example.org --output report.html
`, count(r.analysed(), "page"), besides(r), count(len(r.failed()), "fault"), files["html"], files["json"], s.UI, s.API, calledAs())
}

// besides counts the addresses that are set apart from the pages analysed.
func besides(r result) string {
	switch n := len(r.Pages) - r.analysed(); n {
	case 0:
		return ""
	case 1:
		return " (and one address without a verdict)"
	default:
		return fmt.Sprintf(" (and %d addresses without a verdict)", n)
	}
}
