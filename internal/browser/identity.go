package browser

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"runtime"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"visite/schema"
)

// identity is which Chromium we really are.
type identity struct {
	full  string // "156.0.8078.114"
	major string // "156"
}

func newIdentity(product string) (identity, error) {
	_, full, ok := strings.Cut(product, "/") // "HeadlessChrome/156.0.8078.114" or "Chrome/..."
	major, _, dotted := strings.Cut(full, ".")
	if !ok || !dotted || major == "" {
		return identity{}, fmt.Errorf("browser: Chromium calls itself %q, which holds no version", product)
	}
	return identity{full: full, major: major}, nil
}

// ask has the binary say its version, "Chromium 156.0.8078.114 built on ...".
func ask(ctx context.Context, path string) (identity, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	said, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return identity{}, fmt.Errorf("browser: ask %s for its version: %w", path, err)
	}
	return newIdentity("Chrome/" + dotted.FindString(string(said)))
}

var dotted = regexp.MustCompile(`\d+(\.\d+){3}`)

// userAgent is what an ordinary Chrome of this version sends, up to and
// including "Safari/537.36" (contract S-03, S-05). Chrome tells the major
// version only and, on phones, always Android 10 and model K.
func (i identity) userAgent(d schema.Device) string {
	system, mobile := "X11; Linux x86_64", ""
	if d == schema.DeviceMobile {
		system, mobile = "Linux; Android 10; K", "Mobile "
	}
	return fmt.Sprintf("Mozilla/5.0 (%s) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%s.0.0.0 %sSafari/537.36", system, i.major, mobile)
}

// override makes the User-Agent, its client hints (Sec-CH-UA...) and
// navigator.userAgentData tell the same story.
func (i identity) override(userAgent string, d schema.Device) proto.NetworkSetUserAgentOverride {
	// A made-up third brand is part of the format: it keeps servers from matching the list as a whole.
	brands := func(version, other string) []*proto.EmulationUserAgentBrandVersion {
		return []*proto.EmulationUserAgentBrandVersion{{Brand: "Chromium", Version: version}, {Brand: "Not_A Brand", Version: other}}
	}
	meta := &proto.EmulationUserAgentMetadata{
		Brands: brands(i.major, "99"), FullVersionList: brands(i.full, "99.0.0.0"), FullVersion: i.full,
		Platform: "Linux", Architecture: "x86", Bitness: "64",
	}
	platform := "Linux x86_64"
	if runtime.GOARCH == "arm64" {
		meta.Architecture = "arm"
	}
	if d == schema.DeviceMobile {
		meta.Platform, meta.PlatformVersion, meta.Model, meta.Mobile = "Android", "10.0.0", "K", true
		meta.Architecture, meta.Bitness, platform = "", "", "Linux armv81"
	}
	return proto.NetworkSetUserAgentOverride{UserAgent: userAgent, Platform: platform, AcceptLanguage: "en-US,en", UserAgentMetadata: meta}
}

// screen is the device's window.
func screen(d schema.Device) proto.EmulationSetDeviceMetricsOverride {
	width, height, scale := 1366, 768, 1.0
	if d == schema.DeviceMobile {
		width, height, scale = 412, 915, 2.625
	}
	return proto.EmulationSetDeviceMetricsOverride{
		Width: width, Height: height, DeviceScaleFactor: scale, Mobile: d == schema.DeviceMobile, ScreenWidth: &width, ScreenHeight: &height,
	}
}
