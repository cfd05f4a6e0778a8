package browser

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"visite/schema"
)

const (
	rulesDetect = 2 * time.Second // to recognise a consent tool whose banner is shown
	rulesAct    = 8 * time.Second // all in all, once one was recognised
	rulesPoll   = 500 * time.Millisecond
)

// toolWorld is what the world of the consent rules is called; pages do not see it.
const toolWorld = "visite-consent"

// message is one of autoconsent's, without what it quotes of the page.
type message struct {
	Type     string `json:"type"`
	ID       string `json:"id"`
	Code     string `json:"code"` // of its own, to be run in the page's world
	Result   bool   `json:"result"`
	SelfTest bool   `json:"selfTest"`
	Cosmetic bool   `json:"cosmetic"` // it only hid the banner
}

// rulesRun is autoconsent at work in one frame.
type rulesRun struct {
	banner   *banner
	frame    proto.PageFrameID
	known    bool // only rules for known tools
	world    world
	detected bool
	done     bool
	refused  bool
	cosmetic bool
	acts     func()
}

// byRules lets the rules for known consent tools refuse, in the document and in
// the frames that hold a banner. It gives a note where the banner went, and
// nothing where it stays. Where a plain refusal was clicked in vain the rules
// for unknown banners would only click it once more.
func (b *banner) byRules(clicked bool) (note string, err error) {
	acts := func() {}
	if !clicked { // else that was when it was refused
		acts = sync.OnceFunc(b.acts)
	}
	runs := []*rulesRun{{banner: b, frame: b.tab.main(), known: clicked, acts: acts}}
	for _, frame := range b.frames() {
		runs = append(runs, &rulesRun{banner: b, frame: frame, known: clicked, acts: acts})
	}
	var all sync.WaitGroup
	for _, r := range runs {
		all.Go(r.work)
	}
	all.Wait()
	note, limit := schema.NoteBannerClosed, time.Duration(0)
	for _, r := range runs {
		if r.detected {
			limit = bannerGoes
		}
		if r.refused && !r.cosmetic {
			note = schema.NoteBannerRejected
		}
	}
	if gone, err := b.gone(limit); err != nil || !gone {
		return "", err
	}
	return note, nil
}

// work runs the rules until they are done or out of time; then their clicks end.
func (r *rulesRun) work() {
	made, err := proto.PageCreateIsolatedWorld{FrameID: r.frame, WorldName: toolWorld}.Call(r.banner.tab.channel().within(frameLimit))
	if err != nil {
		return // the frame has gone
	}
	r.world = world{tab: r.banner.tab, id: made.ExecutionContextID}
	s := r.banner.scripts
	if r.world.run(frameLimit, s.consent+";"+s.tool+";"+fmt.Sprintf("visiteTool.begin(%t,", r.known)+s.rules+")", nil) != nil {
		return
	}
	defer func() { _ = r.world.run(frameLimit, "visiteTool.stop()", nil) }()
	for began := time.Now(); !r.done && r.mayGoOn(began); {
		var messages []message
		if r.world.run(rulesPoll+frameLimit, fmt.Sprintf("visiteTool.next(%d)", rulesPoll.Milliseconds()), &messages) != nil {
			return
		}
		for _, m := range messages {
			r.take(m)
		}
	}
}

func (r *rulesRun) mayGoOn(began time.Time) bool {
	limit := rulesDetect
	if r.detected {
		limit = rulesAct
	}
	return time.Since(began) < limit && time.Now().Before(r.banner.until)
}

func (r *rulesRun) take(m message) {
	switch m.Type {
	case "cmpDetected":
		r.detected = true
		r.acts()
	case "eval":
		r.answer(m)
	case "optOutResult":
		r.refused = m.Result
		r.done = !m.Result // whether the banner went is seen on the page, not asked
	case "autoconsentDone":
		r.done, r.cosmetic = true, m.Cosmetic
	}
}

// answer runs a piece of autoconsent's own code where the consent tool's
// functions are: in the page's world of the same frame.
func (r *rulesRun) answer(m message) {
	reply, err := json.Marshal(map[string]any{"type": "evalResp", "id": m.ID, "result": r.inPage(m.Code)})
	if err == nil { // text and a truth value: cannot fail
		_ = r.world.run(frameLimit, "autoconsentReceiveMessage("+string(reply)+")", nil)
	}
}

func (r *rulesRun) inPage(code string) bool {
	ch := r.banner.tab.channel().within(frameLimit)
	inside, err := r.world.object(frameLimit, "document")
	if err != nil {
		return false
	}
	node, err := proto.DOMDescribeNode{ObjectID: inside}.Call(ch)
	if err != nil {
		return false
	}
	document, err := proto.DOMResolveNode{BackendNodeID: node.Node.BackendNodeID}.Call(ch) // in the page's own world
	if err != nil {
		return false
	}
	result, err := proto.RuntimeCallFunctionOn{
		ObjectID: document.Object.ObjectID, AwaitPromise: true, ReturnByValue: true,
		FunctionDeclaration: "async function() { return !!(await (" + code + ")) }",
	}.Call(ch)
	return err == nil && result.ExceptionDetails == nil && result.Result.Value.Bool()
}
