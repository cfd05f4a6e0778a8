package browser

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// printLimit bounds one step of a print: laying out a long report takes a while.
const printLimit = 2 * time.Minute

// A4 in inches, and the margin on each side.
const (
	paperWidth, paperHeight = 8.27, 11.69
	paperMargin             = 0.5
)

// Printer makes PDFs of documents that are our own. Each gets a Chromium of its
// own that can reach nothing: its proxy is a port nothing listens on, every
// request is refused before that, scripts do not run, and the network counts as
// gone. One prints at a time. Safe for concurrent use.
type Printer struct {
	opts Options
	turn chan struct{}
}

// NewPrinter returns a Printer; it starts nothing yet. It fails where no
// Chromium is found (ErrNoChromium).
func NewPrinter(o Options) (*Printer, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	o.SPKI = nil // no certificate is ever looked at
	p := &Printer{opts: o, turn: make(chan struct{}, 1)}
	p.turn <- struct{}{}
	return p, nil
}

// Print writes the document as a tagged PDF (ISO 32000, Tagged PDF) with an
// outline made of its headings.
func (p *Printer) Print(ctx context.Context, w io.Writer, html []byte) (err error) {
	select {
	case <-p.turn:
	case <-ctx.Done():
		return fmt.Errorf("browser: wait for the printer: %w", context.Cause(ctx))
	}
	defer func() { p.turn <- struct{}{} }()
	i, err := launch(ctx, p.opts)
	if err != nil {
		return err
	}
	defer i.stop()
	t, err := i.create(ctx, "", startLimit)
	if err != nil {
		return err
	}
	defer t.close()
	t.sealed = true
	if err := t.seal(); err != nil {
		return fmt.Errorf("browser: seal the printer: %w", err)
	}
	ch := t.channel().within(printLimit)
	if err := (proto.PageSetDocumentContent{FrameID: t.main(), HTML: string(html)}).Call(ch); err != nil {
		return err
	}
	margin, width, height := paperMargin, paperWidth, paperHeight
	out, err := proto.PagePrintToPDF{
		PaperWidth: &width, PaperHeight: &height, MarginTop: &margin, MarginBottom: &margin, MarginLeft: &margin, MarginRight: &margin,
		TransferMode: proto.PagePrintToPDFTransferModeReturnAsStream, GenerateTaggedPDF: true, GenerateDocumentOutline: true,
	}.Call(ch)
	if err != nil {
		return err
	}
	return copyStream(ch, w, out.Stream)
}

// isolate makes sure that nothing leaves a sealed tab, before anything is in it.
func (t *tab) isolate() error {
	ch := t.channel().within(startLimit)
	all := []*proto.FetchRequestPattern{{URLPattern: "*"}}
	return errors.Join(
		proto.FetchEnable{Patterns: all}.Call(ch),
		proto.NetworkEnable{}.Call(ch),
		proto.NetworkEmulateNetworkConditions{Offline: true}.Call(ch),
	)
}

// seal isolates a tab for a document that is only to be printed.
func (t *tab) seal() error {
	ch := t.channel().within(startLimit)
	return errors.Join(
		t.isolate(),
		proto.EmulationSetScriptExecutionDisabled{Value: true}.Call(ch),
		proto.EmulationSetEmulatedMedia{Media: "print", Features: []*proto.EmulationMediaFeature{{Name: "prefers-color-scheme", Value: "light"}}}.Call(ch),
		proto.RuntimeRunIfWaitingForDebugger{}.Call(ch),
		proto.PageEnable{}.Call(ch),
	)
}

// refuse fails a request of a sealed tab.
func (t *tab) refuse(e *proto.FetchRequestPaused) {
	go func() {
		_ = proto.FetchFailRequest{RequestID: e.RequestID, ErrorReason: proto.NetworkErrorReasonBlockedByClient}.Call(t.channel())
	}()
}

// copyStream reads a stream of the browser to its end and closes it.
func copyStream(ch channel, w io.Writer, stream proto.IOStreamHandle) error {
	defer func() { _ = proto.IOClose{Handle: stream}.Call(ch) }()
	size := 1 << 18
	for {
		part, err := proto.IORead{Handle: stream, Size: &size}.Call(ch)
		if err != nil {
			return err
		}
		data := []byte(part.Data)
		if part.Base64Encoded {
			if data, err = base64.StdEncoding.DecodeString(part.Data); err != nil {
				return fmt.Errorf("browser: read the PDF: %w", err)
			}
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
		if part.EOF {
			return nil
		}
	}
}
