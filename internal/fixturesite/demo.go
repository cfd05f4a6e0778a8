package fixturesite

import (
	"bytes"
	"embed"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math"
	"net/http"
	"sync"
)

//go:embed demo/*.txtar
var demoArchives embed.FS

// Planted is a fault that a page of the demo site has on purpose.
type Planted struct {
	Path  string
	Fault Fault
}

// DemoPages are the demo site's pages that can be analysed, by path: those a
// scan reaches that are HTML, answer 200 and are not forbidden to robots.
var DemoPages = []string{
	"/", "/about", "/boats", "/calendar", "/gallery", "/history", "/membership", "/news",
	"/shop", "/shop/lantern", "/shop/mug", "/thanks", "/visit", "/visit/map",
}

// DemoPlanted lists the faults of the demo site's pages, by path. Those of
// FaultContrast need a browser to be seen; FaultBrokenLink, FaultDuplicateTitle,
// FaultRedirectChain and FaultCanonicalBroken the whole site.
var DemoPlanted = []Planted{
	{"/", FaultImageAlt},
	{"/", FaultNoCompression},
	{"/", FaultRedirectChain}, // the link to /old-news: three hops
	{"/about", FaultHeadingOrder},
	{"/about", FaultHalfSharing},
	{"/about", FaultSharingImage},
	{"/boats", FaultContrast},
	{"/boats", FaultNoSharing},
	{"/calendar", FaultNoLang},
	{"/calendar", FaultNoSharing},
	{"/calendar", FaultSlow}, // 1.5 s
	{"/gallery", FaultButtonName},
	{"/gallery", FaultNoDescription},
	{"/gallery", FaultNoSharing},
	{"/gallery", FaultNoViewport},
	{"/history", FaultContrast}, // in the canary text
	{"/history", FaultLabel},    // there too
	{"/history", FaultNoCompression},
	{"/history", FaultNoSharing},
	{"/membership", FaultLabel},
	{"/membership", FaultNoPrivacyLink},
	{"/membership", FaultNoSharing},
	{"/news", FaultBrokenLink}, // /news/regatta-results
	{"/news", FaultEmptyTitle},
	{"/news", FaultNoSharing},
	{"/shop", FaultBrokenLink}, // /shop/oar answers 500
	{"/shop", FaultImageAlt},
	{"/shop", FaultLinkName},
	{"/shop", FaultNoSharing},
	{"/shop/lantern", FaultDuplicateTitle},
	{"/shop/lantern", FaultNoSharing},
	{"/shop/mug", FaultCanonicalBroken}, // names /shop/cup, which is not there
	{"/shop/mug", FaultDuplicateTitle},
	{"/shop/mug", FaultNoSharing},
	{"/thanks", FaultNoSharing},
	{"/thanks", FaultNoindex},
	{"/visit", FaultFrameTitle},
	{"/visit", FaultNoSharing},
	{"/visit/map", FaultNoDescription},
	{"/visit/map", FaultNoSharing},
	{"/visit/map", FaultNoindex},
}

// Demo is the bundled site of a small rowing club, with DemoPlanted faults, a
// section that robots.txt closes (/members/), a PDF, dialogs and a pop-up
// (/gallery) and the canaries (/history).
func Demo() *Site {
	s := New(demoFiles()...)
	s.Set(File{Path: "/images/sunrise.png", Status: http.StatusOK, Body: sunrise(), Header: http.Header{"Content-Type": {"image/png"}, "Cache-Control": {"max-age=3600"}}})
	s.Set(File{Path: "/downloads/rules.pdf", Status: http.StatusOK, Body: rulesPDF(), Header: http.Header{"Content-Type": {"application/pdf"}}})
	return s
}

func demoFiles() []File {
	names, err := fs.Glob(demoArchives, "demo/*.txtar")
	var files []File
	for _, name := range names {
		var data []byte
		if data, err = demoArchives.ReadFile(name); err != nil {
			break
		}
		var part []File
		if part, err = Parse(string(data)); err != nil {
			break
		}
		for _, f := range part {
			if bytes.Contains(f.Body, []byte("{{canary}}")) {
				f = withCanaryHeaders(f)
			}
			files = append(files, f)
		}
	}
	if err != nil {
		panic(err) // built into the program; a test reads them all
	}
	return files
}

// sunrise paints the demo site's photograph.
var sunrise = sync.OnceValue(func() []byte {
	const w, h = 480, 120
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			glow := math.Exp(-(math.Pow(float64(x-340)/90, 2) + math.Pow(float64(y-62)/38, 2)))
			c := color.RGBA{R: uint8(120 + 130*glow), G: uint8(140 + 70*glow), B: uint8(170 - 60*glow), A: 255}
			if y > 70 { // water
				ripple := 12 * math.Sin(float64(x)/9+float64(y)*1.7)
				c = color.RGBA{R: uint8(40 + 120*glow + ripple), G: uint8(85 + 60*glow + ripple), B: uint8(120 + ripple), A: 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	var out bytes.Buffer
	png.Encode(&out, img) // a bytes.Buffer does not fail
	return out.Bytes()
})

// rulesPDF writes a PDF of one page.
func rulesPDF() []byte {
	const text = "BT /F1 18 Tf 72 760 Td (Club rules: be kind, write your name into the book.) Tj ET"
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(text), text),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	}
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return out.Bytes()
}
