package browser

import (
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"visite/schema"
)

// changes finds text that goes on changing by itself (WCAG 2.2.2). Only pages on
// which text seems to do so are waited for, wait ms at most.
func (c *checker) changes(wait int) ([]schema.CheckHit, error) {
	limit := time.Duration(wait) * time.Millisecond
	if limit > c.tab.left()/3 {
		return nil, errDeadline
	}
	c.until = c.until.Add(limit) // a wait is no work
	var hits []schema.CheckHit
	return hits, c.w.run(limit+callLimit, "visiteOwn.changes.judge()", &hits)
}

// tilts are ways to hold a device, in degrees.
var tilts = []proto.DeviceOrientationSetDeviceOrientationOverride{{Alpha: 10, Beta: 20, Gamma: 5}, {Alpha: 80, Beta: -35, Gamma: 40}, {Alpha: 160, Beta: 60, Gamma: -50}}

// motion finds content that moving the device changes (WCAG 2.5.4). The device is
// only moved where a script listens to that.
func (c *checker) motion() ([]schema.CheckHit, error) {
	listening, err := c.listeners()
	if err != nil || !listening.any("devicemotion", "deviceorientation", "deviceorientationabsolute") {
		return nil, err
	}
	still := false
	if err := c.ask("visiteOwn.motion.begin(), visiteOwn.motion.still(200)", &still); err != nil || !still {
		return nil, err // it changes by itself: nothing could be told from more changes
	}
	ch := c.tab.channel().within(c.left())
	defer func() { _ = proto.DeviceOrientationClearDeviceOrientationOverride{}.Call(ch) }()
	for i, tilt := range tilts {
		if err := tilt.Call(ch); err != nil {
			return nil, err
		}
		if err := c.ask(fmt.Sprintf("visiteOwn.motion.shake(%d), visiteOwn.motion.still(80)", 10*i+5), nil); err != nil {
			return nil, err
		}
	}
	var hits []schema.CheckHit
	return hits, c.ask("visiteOwn.motion.judge()", &hits)
}
