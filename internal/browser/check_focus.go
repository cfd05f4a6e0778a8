package browser

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"visite/schema"
)

// maxLooks bounds the stops a page of which is looked at with and without focus.
const maxLooks = 3

// focusSeen finds stops that look the same with and without the focus (WCAG
// 2.4.7). Styles tell which might; two pictures of the screen tell whether they
// do, wherever the page shows it.
func (c *checker) focusSeen() ([]schema.CheckHit, error) {
	var faint []int
	if err := c.ask(fmt.Sprintf("visiteOwn.focus.order(), visiteOwn.focus.faint(%d)", maxLooks), &faint); err != nil {
		return nil, err
	}
	var unseen []int
	for _, stop := range faint {
		same, err := c.looksSame(stop)
		if err != nil {
			return nil, err
		}
		if same {
			unseen = append(unseen, stop)
		}
	}
	if len(unseen) == 0 {
		return nil, nil
	}
	var hits []schema.CheckHit
	return hits, c.ask(fmt.Sprintf("visiteOwn.focus.unseen(%s)", list(unseen)), &hits)
}

func (c *checker) looksSame(stop int) (bool, error) {
	var focused bool
	if err := c.ask(fmt.Sprintf("visiteOwn.focus.show(%d,false)", stop), &focused); err != nil {
		return false, err
	}
	without, err := c.picture()
	if err != nil {
		return false, err
	}
	if err := c.ask(fmt.Sprintf("visiteOwn.focus.show(%d,true)", stop), &focused); err != nil || !focused {
		return false, err
	}
	with, err := c.picture()
	return err == nil && bytes.Equal(without, with), err
}

// picture takes what the screen shows; it is compared and dropped.
func (c *checker) picture() ([]byte, error) {
	r, err := proto.PageCaptureScreenshot{Format: proto.PageCaptureScreenshotFormatPng, OptimizeForSpeed: true}.Call(c.tab.channel().within(c.left()))
	if err != nil {
		return nil, err
	}
	return r.Data, nil
}

// characters are the keys tried as shortcuts (WCAG 2.1.4).
const characters = "abcdefghijklmnopqrstuvwxyz0123456789/?+-.,=[];'"

// shortcuts presses character keys with the focus nowhere and notes which ones
// the page takes for itself. Nothing is pressed where no script listens globally.
func (c *checker) shortcuts() ([]schema.CheckHit, error) {
	listening, err := c.listeners()
	if err != nil || !listening.globally("keydown", "keypress", "keyup") {
		return nil, err
	}
	if err := c.ask("visiteOwn.keys.watch()", nil); err != nil {
		return nil, err
	}
	up := listening.globally("keyup")
	for _, r := range characters {
		key := string(r)
		code := int(strings.ToUpper(key)[0])
		if at := strings.IndexRune("-=[];',./+?", r); at >= 0 {
			code = []int{189, 187, 219, 221, 186, 222, 188, 190, 191, 187, 191}[at]
		}
		if err := c.write(key, code, up); err != nil {
			return nil, err
		}
	}
	var hits []schema.CheckHit
	return hits, c.ask("visiteOwn.keys.judge()", &hits)
}
