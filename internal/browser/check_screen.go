package browser

import (
	"encoding/json"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"visite/schema"
)

// Screens the checks look at a page on, in CSS pixels: a phone's held upright and
// lying, and what is left of 1280 x 1024 at 200 percent zoom (WCAG 1.4.4).
var (
	upright = proto.EmulationSetDeviceMetricsOverride{Width: 600, Height: 1000, DeviceScaleFactor: 1}
	lying   = proto.EmulationSetDeviceMetricsOverride{Width: 1000, Height: 600, DeviceScaleFactor: 1}
	zoomed  = proto.EmulationSetDeviceMetricsOverride{Width: 640, Height: 512, DeviceScaleFactor: 2}
)

// on shows the page on another screen while f looks at it.
func (c *checker) on(s proto.EmulationSetDeviceMetricsOverride, back schema.Device, f func() error) error {
	ch := c.tab.channel().within(c.left())
	defer func() { _ = screen(back).Call(ch) }()
	if err := s.Call(ch); err != nil {
		return err
	}
	return f()
}

// turn finds content that is turned against the screen to hold it in one
// orientation. Only styles for an orientation can do that.
func (c *checker) turn(device schema.Device) (hits []schema.CheckHit, err error) {
	var one, other json.RawMessage
	if err := c.on(upright, device, func() error { return c.ask("visiteOwn.orientation.read()", &one) }); err != nil {
		return nil, err
	}
	if err := c.on(lying, device, func() error { return c.ask("visiteOwn.orientation.read()", &other) }); err != nil {
		return nil, err
	}
	return hits, c.ask(fmt.Sprintf("visiteOwn.orientation.judge(%s,%s)", one, other), &hits)
}

// zoom finds text that is whole on the ordinary screen and cut off at 200 percent.
func (c *checker) zoom(device schema.Device) (hits []schema.CheckHit, err error) {
	return hits, c.on(zoomed, device, func() error { return c.ask("visiteOwn.zoom.judge()", &hits) })
}
