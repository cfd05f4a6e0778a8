package browser

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"
)

// noisy is a picture that does not shrink when it is packed.
func noisy(w, h int) string {
	img := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black, color.White})
	seed := uint32(1)
	for i := range img.Pix {
		seed = seed*1664525 + 1013904223
		img.Pix[i] = uint8(seed >> 31)
	}
	var out bytes.Buffer
	_ = png.Encode(&out, img) // a bytes.Buffer does not fail
	return out.String()
}

// How a page is laid out is seen on the page that is open anyway.
func TestLayoutOfAPage(t *testing.T) {
	files := map[string]string{
		"/":      html("", `<p><img src="/big.png" alt="" width="200" height="150" loading="lazy"> <img src="/big.png" alt="" width="600" height="450"></p><p style="font-size:10px">Small letters.</p><p>Words</p><div style="width:3000px">wide</div><p hidden>Not to be seen</p>`),
		"/sound": html("<style>html{overflow-x:hidden}</style>", `<p><img src="/big.png" alt="" width="500" height="375"><img src="/a.svg" alt="" width="20" height="20"></p><p style="font-size:12px">Words</p><div style="width:3000px">wide</div>`),
	}
	files["/lazy"], files["/big.svg"], files["/a.svg"] = html("", `<p><img src="/big.svg" alt="" width="800" height="500" loading="lazy"></p>`), bigPicture, svg
	picture := noisy(1000, 750)
	d := newDoor(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".png") {
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write([]byte(picture))
			return
		}
		pages(files).ServeHTTP(w, r)
	}))
	b := ownBrowser(t)
	b.limits.paint = 20 * time.Second // a loaded machine paints late
	l := open(t, b, d, "/").Observed.Layout
	if l == nil {
		t.Fatal("no layout")
	}
	if l.Pictures != 2 || l.Oversized != 1 || l.Natural != [2]int{1000, 750} || l.Shown != [2]int{200, 150} || !strings.HasSuffix(l.OversizedAt, "img:nth-of-type(1)") {
		t.Errorf("pictures: %+v", l)
	}
	if l.LargestLazy { // the larger one beside it does not load lazily
		t.Errorf("largest: %+v", l)
	}
	if l.Small != len("Smallletters.") || l.Text != len("Aheading"+"Smallletters."+"Words"+"wide") {
		t.Errorf("%d of %d characters are small", l.Small, l.Text)
	}
	if l.Screen != 1366 || l.Beyond < 1600 || l.Beyond > 1700 {
		t.Errorf("%d pixels beyond %d", l.Beyond, l.Screen)
	}
	l = open(t, b, d, "/sound").Observed.Layout
	if l == nil || l.Oversized != 0 || l.Small != 0 || l.Beyond != 0 || l.LargestLazy {
		t.Errorf("a sound page: %+v", l)
	}
	if l = open(t, b, d, "/lazy").Observed.Layout; l == nil || !l.LargestLazy || !strings.HasSuffix(l.LargestAt, "img") {
		t.Errorf("a largest content that loads lazily: %+v", l)
	}
}
