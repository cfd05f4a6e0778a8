package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"visite/internal/report"
	"visite/schema"
)

// scanFlags are `visite scan`'s flags as written.
type scanFlags struct {
	order          scanOrder
	basis, party   string
	format, output string
	lang           string
	failOn         string
	at             deployment
	quiet          bool
}

func scanCommand(std streams) *cobra.Command {
	var f scanFlags
	c := &cobra.Command{
		Use:   "scan URL",
		Short: "Scan a site and report on it",
		Long: `Scan a site and report on it: progress on stderr, the result on stdout or in a file.

The scan runs on the local stack, which is started in the background if none runs;
with --api it runs on a deployment. Ctrl-C cancels the scan and still writes what
was found, marked as cancelled; a second Ctrl-C quits at once.

Exit codes: 0 clean, 1 faults at or above --fail-on, 2 wrong usage or a
refused request, 3 the scan could not be done: forbidden by the site, stopped early
out of courtesy, cancelled, nothing analysed, or failed.`,
		Example: `  visite scan http://127.0.0.1:3000/
  visite scan https://example.org/ --contact you@example.org --output report.html
  visite scan https://example.org/ --contact you@example.org --engine http --max-pages 500 --fail-on moderate`,
		Args: takes(1, "the URL to scan"),
		RunE: func(c *cobra.Command, args []string) error {
			f.order.url = args[0]
			return f.run(c, std)
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.order.engine, "engine", "browser", "browser: render each page in Chromium; http: one GET a page")
	fl.StringVar(&f.order.device, "device", "desktop", "desktop or mobile")
	fl.Int64Var(&f.order.maxPages, "max-pages", 0, "most pages to visit (default: what the API is set to)")
	fl.StringVar(&f.order.profile, "profile", "", "identity and limits to visit with (default: visite)")
	fl.StringVar(&f.order.contact, "contact", "", "e-mail address or web page the visited site can turn to; needed for sites not on this machine")
	fl.StringVar(&f.basis, "basis", "", "own: it is your site; permission: somebody permitted the scan (default own)")
	fl.StringVar(&f.party, "party", "", "who permitted it, with --basis permission")
	fl.IntVar(&f.order.previews, "previews", 0, "switch previews of the site on for so many days (1 to 365), so that the report marks where faults are; text is drawn as bars, pictures as flat areas")
	fl.StringVar(&f.format, "format", "", "text, json, html, pdf, csv, sarif, earl or junit (default: by the name of --output, else text)")
	fl.StringVar(&f.lang, "lang", "en", "language of the report and of the rules' names: en, de or es (the frame of the text format is English)")
	fl.StringVarP(&f.output, "output", "o", "", "file for the result (default: stdout)")
	fl.StringVar(&f.failOn, "fail-on", "serious", "exit 1 from this severity on: info, minor, moderate, serious, critical or none")
	f.at.flags(fl)
	fl.BoolVar(&f.quiet, "quiet", false, "no progress on stderr")
	return c
}

func (f *scanFlags) run(c *cobra.Command, std streams) error {
	if err := f.check(c); err != nil {
		return err
	}
	out, err := openOutput("--output", f.output, std.out)
	if err != nil {
		return err
	}
	ctx, interrupted := onInterrupt(c.Context())
	defer interrupted.release()
	beforeScan, stop := until(ctx, interrupted.first)
	defer stop()
	api, logs, err := f.at.connect(beforeScan, std)
	if err != nil {
		return err
	}
	f.note(c, std)
	run := scanRun{api: api, show: newProgress(std.err, f.quiet), cancelled: interrupted.first, again: f.at.command("cancel"), lang: f.lang}
	run.show.logs = logs
	end, err := run.scan(ctx, f.order)
	if err != nil {
		return err
	}
	rep, err := run.report(ctx, end)
	if err != nil {
		return err
	}
	content, err := run.render(ctx, rep, f.format)
	if err != nil {
		return err
	}
	if err := out.write(content); err != nil {
		return fmt.Errorf("the result could not be written: %w", err)
	}
	if out.path != "" {
		fmt.Fprintf(std.err, "Report: %s\n", out.path)
	}
	return verdict(rep, f.failOn)
}

// check refuses what needs no API to be refused.
func (f *scanFlags) check(c *cobra.Command) error {
	if err := noEmptyFlags(c); err != nil {
		return err
	}
	var errs []error
	oneOf := func(flag, value string, allowed ...string) {
		if !slices.Contains(allowed, value) {
			errs = append(errs, fmt.Errorf("--%s: %q is unknown; use %s", flag, value, strings.Join(allowed, ", ")))
		}
	}
	errs = append(errs, checkAddress(f.order.url))
	oneOf("engine", f.order.engine, "browser", "http")
	oneOf("device", f.order.device, "desktop", "mobile")
	if f.format == "" {
		f.format = formatOf(f.output)
	}
	oneOf("format", f.format, reportFormats()...)
	oneOf("lang", f.lang, "en", "de", "es")
	oneOf("fail-on", f.failOn, "info", "minor", "moderate", "serious", "critical", "none")
	if c.Flags().Changed("max-pages") && (f.order.maxPages < 1 || f.order.maxPages > schema.MaxPagesLimit) {
		errs = append(errs, fmt.Errorf("--max-pages: %d is out of range; give 1 to %d", f.order.maxPages, schema.MaxPagesLimit))
	}
	errs = append(errs, f.checkPreviews(c.Flags().Changed("previews")), f.checkBasis())
	return usageOf(errs...)
}

// checkPreviews: only a site's owner has them, and only a browser draws them.
func (f *scanFlags) checkPreviews(wanted bool) error {
	most := int(schema.PreviewsLast.Hours() / 24)
	switch {
	case !wanted:
		return nil
	case f.order.previews < 1 || f.order.previews > most:
		return fmt.Errorf("--previews: %d is out of range; give 1 to %d days", f.order.previews, most)
	case f.basis == "permission":
		return errors.New("--previews: only a site's owner can have them; leave the flag out, or use --basis own")
	case f.order.engine == "http":
		return errors.New("--previews: need --engine browser")
	}
	return nil
}

// note says what is allowed but may not be meant.
func (f *scanFlags) note(c *cobra.Command, std streams) {
	if f.order.engine == "http" && c.Flags().Changed("device") {
		fmt.Fprintf(std.err, "Note: --device is for the browser engine; with --engine http it changes nothing.\n")
	}
	if named := formatOf(f.output); named != "text" && named != f.format {
		fmt.Fprintf(std.err, "Note: %s will hold the report as %s, as --format says.\n", f.output, f.format)
	}
}

func (f *scanFlags) checkBasis() error {
	switch {
	case f.basis == "" && f.party == "":
		return nil
	case f.basis == "own" && f.party == "":
	case f.basis == "own" || f.basis == "":
		return errors.New("--party: only with --basis permission")
	case f.basis != "permission":
		return fmt.Errorf("--basis: %q is unknown; use own or permission", f.basis)
	case f.party == "":
		return errors.New("--party: is missing; name who permitted the scan, as in --basis permission --party 'Example Ltd'")
	}
	f.order.basis = schema.Basis{Kind: schema.BasisKind(f.basis), Party: f.party}
	return nil
}

// checkAddress refuses what cannot be a web address, before anything is started.
func checkAddress(typed string) error {
	if _, refusal := schema.SeedFromInput(typed); refusal != nil {
		return fmt.Errorf("URL: %s %s", refusal.Detail, refusal.Remedy)
	}
	return nil
}

// formatText is the short report for a terminal; the others are the API's.
const formatText = "text"

func reportFormats() []string {
	names := []string{formatText}
	for _, f := range report.Formats() {
		names = append(names, string(f))
	}
	return names
}

func formatOf(file string) string {
	if f, ok := report.FormatOfFile(file); ok {
		return string(f)
	}
	return formatText
}
