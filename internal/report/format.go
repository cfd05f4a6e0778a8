package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"visite/schema"
)

// Format is a form a report is written in.
type Format string

const (
	FormatHTML  Format = "html"  // a page for people
	FormatPDF   Format = "pdf"   // the same, printed: tagged, with an outline
	FormatJSON  Format = "json"  // everything, as report.schema.json describes it
	FormatCSV   Format = "csv"   // RFC 4180, safe to open in a spreadsheet
	FormatSARIF Format = "sarif" // OASIS SARIF 2.1.0
	FormatEARL  Format = "earl"  // W3C EARL 1.0 as JSON-LD 1.1
	FormatJUnit Format = "junit" // JUnit XML
)

// form is what is known of a format.
type form struct {
	mediaType string
	suffixes  []string // of file names, the usual one first
	render    func(Renderer, context.Context, io.Writer, schema.Scan, words) error
}

var forms = map[Format]form{
	FormatHTML:  {"text/html", []string{".html", ".htm"}, Renderer.html},
	FormatPDF:   {"application/pdf", []string{".pdf"}, Renderer.pdf},
	FormatJSON:  {"application/json", []string{".json"}, Renderer.json},
	FormatCSV:   {"text/csv", []string{".csv"}, Renderer.csv},
	FormatSARIF: {"application/sarif+json", []string{".sarif", ".sarif.json"}, Renderer.sarif},
	FormatEARL:  {"application/ld+json", []string{".jsonld", ".earl"}, Renderer.earl},
	FormatJUnit: {"application/xml", []string{".xml"}, Renderer.junit},
}

// Formats lists all, JSON first: what a client gets that takes anything.
func Formats() []Format {
	return []Format{FormatJSON, FormatHTML, FormatPDF, FormatCSV, FormatSARIF, FormatEARL, FormatJUnit}
}

// MediaType is the format's IANA media type; empty for one that does not exist.
func (f Format) MediaType() string { return forms[f].mediaType }

// Suffix ends the names of files in the format, ".html"; empty for one that does not exist.
func (f Format) Suffix() string {
	if s := forms[f].suffixes; len(s) > 0 {
		return s[0]
	}
	return ""
}

// FormatOfMediaType finds the format of a media type.
func FormatOfMediaType(mediaType string) (Format, bool) {
	for f, is := range forms {
		if is.mediaType == mediaType {
			return f, true
		}
	}
	return "", false
}

// FormatOfFile finds the format a file's name asks for; the longest suffix decides.
func FormatOfFile(name string) (Format, bool) {
	var best Format
	length := 0
	for f, is := range forms {
		for _, s := range is.suffixes {
			if len(s) > length && len(name) > len(s) && name[len(name)-len(s):] == s {
				best, length = f, len(s)
			}
		}
	}
	return best, length > 0
}

// ErrNoPDF tells that there is nothing to print with.
var ErrNoPDF = errors.New("report: no printer for a PDF")

// Printer makes a PDF of a page that needs no network. It must not let the page
// reach any.
type Printer interface {
	Print(ctx context.Context, w io.Writer, html []byte) error
}

// Renderer renders scans of one source.
type Renderer struct {
	Source  Source
	Printer Printer // nil: no PDF
	// RulePages is below which address rules are explained ("https://host/rules");
	// empty: reports do not link there.
	RulePages string
}

// Request says which report is wanted.
type Request struct {
	Format Format
	Lang   Lang // English where empty
}

// Render writes the report of a scan. Nothing is written before what can fail
// early has not failed.
func (r Renderer) Render(ctx context.Context, w io.Writer, scan schema.Scan, want Request) error {
	form, ok := forms[want.Format]
	if !ok {
		return fmt.Errorf("report: there is no format %q", want.Format)
	}
	speak, err := wordsOf(want.Lang)
	if err != nil {
		return err
	}
	speak.rulePages = r.RulePages
	return form.render(r, ctx, w, scan, speak)
}

func (r Renderer) html(ctx context.Context, w io.Writer, scan schema.Scan, speak words) error {
	return HTML(ctx, w, r.Source, scan, Options{Lang: speak.lang, RulePages: r.RulePages})
}

func (r Renderer) json(ctx context.Context, w io.Writer, scan schema.Scan, speak words) error {
	return JSON(ctx, w, r.Source, scan, Options{Lang: speak.lang})
}

// pdf prints the HTML report, which is bounded whatever the scan's size.
func (r Renderer) pdf(ctx context.Context, w io.Writer, scan schema.Scan, speak words) error {
	if r.Printer == nil {
		return ErrNoPDF
	}
	var page bytes.Buffer
	if err := r.html(ctx, &page, scan, speak); err != nil {
		return err
	}
	if err := r.Printer.Print(ctx, w, page.Bytes()); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}
