package report

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"visite/schema"
)

// JSON writes the JSON report of a scan: one item a line, in bounded memory
// whatever the scan's size. Lists are never null. The names of rules are in the
// language where there are words in it; keys and values of closed lists never are.
func JSON(ctx context.Context, w io.Writer, src Source, scan schema.Scan, o Options) error {
	speak, err := wordsOf(o.Lang)
	if err != nil {
		return err
	}
	progress, err := src.Progress(ctx, scan.ID)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	totals, err := src.HostTotals(ctx, scan.ID)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	brisk, err := src.BriskGaits(ctx, scan.ID)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	security, err := src.Security(ctx, scan.ID)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	scores, err := scoresOf(ctx, src, scan)
	if err != nil {
		return err
	}
	states, err := src.ItemStates(ctx, scan.SiteID)
	if err != nil {
		return wrapped(err)
	}
	previews, err := previewsOf(ctx, src, scan.ID)
	if err != nil {
		return err
	}
	out := newDocument(w)
	out.key("scan", documentScan(scan, progress, brisk))
	var folded schema.ItemFold
	var templates templateSums
	var besides []tallyOf
	out.open("pages")
	err = eachPage(ctx, src, scan.ID, func(p schema.Page) error {
		templates.add(p)
		if p.Outcome != schema.OutcomeAnalysed {
			besides = count(besides, p.Outcome)
		}
		path := folded.Look(p.URL, p.Outcome, schema.LooksOf(p.Notes, p.TrackersBy))
		for _, f := range p.Findings {
			folded.Add(schema.PageRef{ID: p.ID, URL: p.URL}, path, f)
		}
		page := coveredPage(p, speak, states, scan.Engine)
		preview, found := previews[p.ID]
		page.Preview = documentPreview(scan.ID, preview, found)
		return out.item(page)
	})
	if err == nil {
		out.open("findings")
		var page, path string // of the finding before: most of a page's stand together
		err = eachFinding(ctx, src, scan.ID, func(f schema.ListedFinding) error {
			if f.PageURL != page || path == "" {
				page, path = f.PageURL, schema.PathShape(f.PageURL)
			}
			return out.item(documentFinding(f.PageURL, path, speak.inWords(f.Finding), states))
		})
	}
	if err == nil {
		out.open("links")
		err = eachLink(ctx, src, scan.ID, schema.LinkFilter{}, func(l schema.ListedLink) error { return out.item(documentLink(l.Link)) })
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	out.open("items")
	for _, item := range orderedItems(folded, states, speak) {
		_ = out.item(item) // the document keeps its first error
	}
	out.key("items_left", folded.Left)
	requests := make(map[string]Requests, len(totals))
	for _, t := range totals {
		requests[t.Host] = documentRequests(t, scan)
	}
	out.key("requests", requests)
	out.key("courtesy", documentCourtesy(besides))
	out.key("criteria", documentCriteria())
	out.key("security", documentSecurity(security))
	out.key("scores", scores)
	out.key("templates", templates.ordered())
	out.key("templates_left", templates.left)
	return out.close()
}

// document writes one JSON object piece by piece. It keeps its first error.
type document struct {
	w      *bufio.Writer
	enc    *json.Encoder
	inList bool
	items  int // of the list under way
	keys   int
	bare   bool // the object is open already, inside another
	err    error
}

func newDocument(w io.Writer) *document {
	buffered := bufio.NewWriterSize(w, 64<<10)
	return &document{w: buffered, enc: json.NewEncoder(buffered)}
}

func (d *document) text(s string) {
	if d.err == nil {
		_, d.err = d.w.WriteString(s)
	}
}

func (d *document) value(v any) {
	if d.err == nil {
		d.err = d.enc.Encode(v) // ends the line
	}
}

// begin writes a key and ends the list before it.
func (d *document) begin(name string) {
	if d.inList {
		d.text("]\n")
		d.inList = false
	}
	if d.keys == 0 && !d.bare {
		d.text("{")
	} else if d.keys > 0 {
		d.text(",")
	}
	d.keys++
	d.text(`"` + name + `":`)
}

func (d *document) key(name string, v any) {
	d.begin(name)
	d.value(v)
}

// open begins a list; items follow.
func (d *document) open(name string) {
	d.begin(name)
	d.text("[\n")
	d.inList, d.items = true, 0
}

func (d *document) item(v any) error {
	if d.items > 0 {
		d.text(",")
	}
	d.items++
	d.value(v)
	return d.err
}

func (d *document) close() error {
	if d.inList {
		d.text("]\n")
	}
	d.text("}\n")
	if d.err != nil {
		return fmt.Errorf("report: %w", d.err)
	}
	return d.w.Flush()
}
