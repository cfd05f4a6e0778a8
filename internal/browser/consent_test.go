package browser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"visite/schema"
)

// clicks tells the server of every click, by the id of what was clicked.
const clicks = `<script>addEventListener("click", e => { new Image().src = "/clicked?" + (e.composedPath()[0].id || e.composedPath()[0].tagName) }, true)</script>`

// fixed is the style of a banner at the foot of the window.
const fixed = `position:fixed;left:0;right:0;bottom:0;background:#fff;border:1px solid #000;padding:20px;z-index:99`

// tall makes the page longer than the window.
var tall = strings.Repeat("<p>A line of the page.</p>", 80)

// hide is a handler that takes an element away.
func hide(id string) string { return `onclick="document.getElementById('` + id + `').remove()"` }

func shop(banner string) string { return html(clicks, tall+banner) }

// dialog is an unknown site's own banner with the given buttons.
func dialog(words string, buttons ...string) string {
	return shop(`<div id="box" role="dialog" aria-label="Cookies" style="` + fixed + `"><p>` + words + `</p>` + strings.Join(buttons, " ") + `</div>`)
}

func button(id, text string) string {
	return `<button id="` + id + `" ` + hide("box") + `>` + text + `</button>`
}

const we = "We use cookies to analyse how you use the site."

type bannerCase struct {
	name   string
	pages  pages
	notes  []string // of consent
	clicks []string // ids, in any order
}

func one(page string) pages { return pages{"/": page, "/a.svg": svg} }

var bannerCases = []bannerCase{
	{"OneTrust", one(shop(`<div id="onetrust-consent-sdk"><div id="onetrust-banner-sdk" role="dialog" aria-label="Privacy" style="` + fixed + `"><p>` + we + `</p>
		<button id="onetrust-pc-btn-handler">Cookie Settings</button><button id="onetrust-reject-all-handler" ` + hide("onetrust-banner-sdk") + `>Reject All</button>
		<button id="onetrust-accept-btn-handler" ` + hide("onetrust-banner-sdk") + `>Accept All Cookies</button></div></div>`)),
		[]string{schema.NoteBannerRejected}, []string{"onetrust-reject-all-handler"}},
	{"OneTrust without refusal on the first layer", one(shop(`<div id="onetrust-consent-sdk"><div id="onetrust-banner-sdk" role="dialog" aria-label="Privacy" style="` + fixed + `"><p>` + we + `</p>
		<button id="onetrust-pc-btn-handler" onclick="document.getElementById('onetrust-pc-sdk').style.display='block'">Cookie Settings</button>
		<button id="onetrust-accept-btn-handler" ` + hide("onetrust-consent-sdk") + `>Accept All Cookies</button></div>
		<div id="onetrust-pc-sdk" role="dialog" aria-label="Settings" style="display:none;` + fixed + `;top:0"><label><input type="checkbox" id="ads" class="category-switch-handler" checked> Advertising cookies</label>
		<button id="save" class="save-preference-btn-handler" onclick="document.getElementById('onetrust-consent-sdk').remove()">Confirm My Choices</button><button id="accept-recommended-btn-handler">Allow all</button></div></div>`)),
		[]string{schema.NoteBannerRejected}, []string{"onetrust-pc-btn-handler", "ads", "save"}},
	{"Cookiebot", one(shop(`<div id="CybotCookiebotDialog" role="dialog" aria-label="Cookies" style="` + fixed + `"><p>Diese Webseite verwendet Cookies.</p>
		<button id="CybotCookiebotDialogBodyButtonDecline" ` + hide("CybotCookiebotDialog") + `>Ablehnen</button><button id="CybotCookiebotDialogBodyLevelButtonLevelOptinAllowAll" ` + hide("CybotCookiebotDialog") + `>Alle zulassen</button></div>`)),
		[]string{schema.NoteBannerRejected}, []string{"CybotCookiebotDialogBodyButtonDecline"}},
	{"Cookiebot that can only be told by its function", one(shop(`<div id="CybotCookiebotDialog" role="dialog" aria-label="Cookies" style="` + fixed + `"><p>Diese Webseite verwendet Cookies.</p><button id="CybotCookiebotDialogBodyButtonAccept" ` + hide("CybotCookiebotDialog") + `>OK</button></div>
		<script>window.Cookiebot = {hasResponse: false, dialog: {visible: true}, consent: {}, withdraw() { this.consent.declined = true; this.hasResponse = true }, hide() { document.getElementById("CybotCookiebotDialog").remove() }}</script>`)),
		[]string{schema.NoteBannerRejected}, nil},
	{"CookieYes", one(shop(`<div class="cky-consent-container" id="cky" style="` + fixed + `"><p>` + we + `</p><button id="customise" data-cky-tag="settings-button">Customise</button>
		<button id="no" data-cky-tag="reject-button" ` + hide("cky") + `>Reject All</button><button id="yes" data-cky-tag="accept-button" ` + hide("cky") + `>Accept All</button></div>`)),
		[]string{schema.NoteBannerRejected}, []string{"no"}},
	{"Usercentrics in a shadow root", one(shop(`<div id="usercentrics-root"></div><script>
		const root = document.getElementById("usercentrics-root"); root.attachShadow({mode: "open"}).innerHTML = '<div data-testid="uc-container" role="dialog" style="` + fixed + `"><p>Wir verwenden Cookies und ähnliche Technik.</p><button id="deny" data-testid="uc-deny-all-button">Alles ablehnen</button><button id="accept" data-testid="uc-accept-all-button">Alles akzeptieren</button></div>';
		for (const b of root.shadowRoot.querySelectorAll("button")) b.onclick = () => root.remove()</script>`)),
		[]string{schema.NoteBannerRejected}, []string{"deny"}},
	{"unknown, German", one(dialog("Wir verwenden Cookies, um die Nutzung der Website auszuwerten.", button("ja", "Alle akzeptieren"), button("nein", "Nur notwendige Cookies"))), []string{schema.NoteBannerRejected}, []string{"nein"}},
	{"unknown, Spanish", one(dialog("Usamos cookies propias y de terceros para analizar el uso del sitio.", button("si", "Aceptar todas"), button("no", "Rechazar todas"))), []string{schema.NoteBannerRejected}, []string{"no"}},
	{"unknown, English", one(dialog(we, button("yes", "Accept"), button("no", "Decline"))), []string{schema.NoteBannerRejected}, []string{"no"}},
	{"unknown, French, strict policy", one(strings.Replace(dialog("Nous utilisons des cookies.", `<a href="#" id="sans" `+hide("box")+`>Continuer sans accepter</a>`, button("oui", "Tout accepter")), "<head>", `<head><meta http-equiv="Content-Security-Policy" content="connect-src 'none'">`, 1)), []string{schema.NoteBannerRejected}, []string{"sans"}},
	{"only accepting, one button", one(dialog(we, button("ok", "OK"))), []string{schema.NoteBannerOpen}, nil},
	{"only accepting, two words for it", one(dialog(we, button("all", "Accept all"), button("fine", "Got it"))), []string{schema.NoteBannerOpen}, nil},
	{"accepting or paying", one(dialog("Mit Werbung und Cookies weiterlesen oder Abo abschließen.", button("ja", "Akzeptieren und weiter"), button("abo", "Ablehnen und Abo kaufen"))), []string{schema.NoteBannerOpen}, nil},
	{"a button that closes", one(dialog("This site sets cookies.", `<a href="/privacy">Privacy policy</a>`, button("ok", "Accept"), `<button id="x" aria-label="Close" `+hide("box")+`>×</button>`)), []string{schema.NoteBannerClosed}, []string{"x"}},
	{"a button that closes and thereby accepts", one(dialog("By closing this banner you agree to our use of cookies.", `<button id="x" aria-label="Close" `+hide("box")+`>×</button>`)), []string{schema.NoteBannerOpen}, nil},
	{"a refusal that does nothing", one(dialog(we, button("yes", "Accept"), `<button id="dead">Reject all</button>`)), []string{schema.NoteBannerOpen}, []string{"dead"}},
	{"late, after the load event", pages{"/": shop(`<script src="/cookie-consent.js"></script>`), "/cookie-consent.js": `setTimeout(() => { document.body.insertAdjacentHTML("beforeend", '<div id="box" role="dialog" aria-label="Cookies" style="` + fixed + `"><p>` + we + `</p><button id="yes">Accept all</button> <button id="no">Reject all</button></div>'); for (const b of box.querySelectorAll("button")) b.onclick = () => box.remove() }, 2500)`},
		[]string{schema.NoteBannerRejected}, []string{"no"}},
	{"hidden leftover beside the one shown", one(shop(`<div id="cm" role="dialog" aria-label="Old" style="position:fixed;inset:0;visibility:hidden"><p>Cookies?</p><button id="old-no">Reject all</button><button id="old-yes">Accept all</button></div>
		<div id="faded" role="dialog" aria-label="Older" style="position:fixed;inset:0;opacity:0;pointer-events:none"><p>Cookies?</p><button id="older-no">Reject all</button></div>
		<div id="box" role="dialog" aria-label="Cookies" style="` + fixed + `"><p>` + we + `</p>` + button("yes", "Accept all") + button("no", "Reject all") + `</div>`)),
		[]string{schema.NoteBannerRejected}, []string{"no"}},
	{"parked outside the screen", one(shop(`<div id="sliding-popup" role="dialog" aria-label="Cookies" style="position:fixed;left:0;right:0;height:200px;bottom:-300px"><p>` + we + `</p><button id="yes">Accept all</button><button id="no">Reject all</button></div>`)), nil, nil},
	{"a refusal that unlocks the page", one(strings.Replace(dialog(we, `<button id="no" onclick="box.remove();document.body.style.overflow=''">Reject all</button>`, `<button id="yes">Accept all</button>`), "<body>", `<body style="overflow:hidden">`, 1)), []string{schema.NoteBannerRejected}, []string{"no"}},
	{"a refusal that leaves the page locked", one(strings.Replace(dialog(we, button("yes", "Accept all"), button("no", "Reject all")), "<body>", `<body style="overflow:hidden">`, 1)), []string{schema.NoteBannerRejected, schema.NoteScrollLocked}, []string{"no"}},
	{"refused through the tool's own function, locked", one(strings.Replace(shop(`<div id="didomi-host"><div id="didomi-popup" class="didomi-popup-container" role="dialog" aria-label="Consent" style="`+fixed+`"><p>`+we+`</p><button id="agree">Agree &amp; close</button><button id="more">Learn more</button></div></div>
		<script>window.Didomi = {setUserDisagreeToAll() { document.getElementById("didomi-host").remove(); new Image().src = "/refused" }, notice: {isVisible: () => !!document.getElementById("didomi-host")}, getCurrentUserStatus: () => ({purposes: {}}), isReady: () => true}</script>`), "<body>", `<body style="position:fixed;width:100%">`, 1)),
		[]string{schema.NoteBannerRejected, schema.NoteScrollLocked}, nil},
	{"a refusal that leaves the page dimmed", one(shop(`<div id="sheet" style="position:fixed;inset:0;background:rgba(0,0,0,.5);z-index:98"></div><div id="box" role="dialog" aria-label="Cookies" style="` + fixed + `"><p>` + we + `</p>` + button("yes", "Accept all") + button("no", "Reject all") + `</div>`)), []string{schema.NoteBannerOpen}, []string{"no"}},
	{"a refusal that takes its sheet away", one(shop(`<div id="box" style="position:fixed;inset:0;background:rgba(0,0,0,.5);z-index:98"><div role="dialog" aria-label="Cookies" style="` + fixed + `"><p>` + we + `</p>` + button("yes", "Accept all") + button("no", "Reject all") + `</div></div>`)), []string{schema.NoteBannerRejected}, []string{"no"}},
	{"buttons by looks alone", one(dialog(we, `<span id="no" style="cursor:pointer" `+hide("box")+`>Reject all</span>`, `<span id="yes" style="cursor:pointer" `+hide("box")+`>Accept all</span>`)), []string{schema.NoteBannerRejected}, []string{"no"}},
	{"known by its name alone", one(shop(`<div class="cookie-modal" id="box" style="` + fixed + `"><p>Services we would like to use. You are in charge.</p>` + button("yes", "Accept all") + button("no", "I decline") + `</div>`)), []string{schema.NoteBannerRejected}, []string{"no"}},
	{"one within a frame of its own that stays", one(shop(`<div id="tarteaucitronRoot"><div id="back" style="position:fixed;inset:0"></div><div id="box" role="dialog" aria-label="Cookies" style="` + fixed + `"><p>` + we + `</p><button id="yes">OK, accept all</button>
		<button id="no" onclick="box.remove(); back.remove()">Deny all cookies</button></div><button id="icon" style="position:fixed;right:0;bottom:0">Cookies</button></div>`)), []string{schema.NoteBannerRejected}, []string{"no"}},
	{"fading out", one(dialog(we, button("yes", "Accept all"), `<button id="no" onclick="box.style.transition='opacity .8s'; box.style.opacity=0; setTimeout(() => box.remove(), 800)">Reject all</button>`)), []string{schema.NoteBannerRejected}, []string{"no"}},
	{"in a frame", pages{"/": shop(`<iframe id="sp_message_iframe_1" title="Privacy" src="/frame" style="` + fixed + `;width:100%;height:300px"></iframe><script>addEventListener("message", () => setTimeout(() => document.getElementById("sp_message_iframe_1").remove(), 300))</script>`),
		"/frame": html(clicks, `<p>`+we+`</p><button id="yes" onclick="parent.postMessage('x','*')">Accept all</button><button id="no" onclick="parent.postMessage('x','*')">Reject all</button>`)},
		[]string{schema.NoteBannerRejected}, []string{"no"}},
}

// Each banner is refused, closed or left as it is; nothing that accepts is ever
// clicked, in whatever words.
// proves S-18, R-22, P05, P06, P07
func TestBannersAreRefusedOrClosedAndNeverAccepted(t *testing.T) {
	b := plainBrowser(t)
	for _, c := range bannerCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDoor(t, c.pages)
			began := time.Now()
			out := open(t, b, d, "/")
			t.Logf("%-45s %v %s", c.name, out.Notes, time.Since(began).Round(10*time.Millisecond))
			var got []string
			for _, n := range out.Notes {
				if strings.HasPrefix(n, "banner_") || n == schema.NoteScrollLocked {
					got = append(got, n)
				}
			}
			if !slices.Equal(got, c.notes) {
				t.Errorf("notes %v, want %v", got, c.notes)
			}
			var clicked []string
			for _, r := range d.requests() {
				if _, id, found := strings.Cut(r, "/clicked?"); found {
					clicked = append(clicked, id)
				}
			}
			slices.Sort(clicked)
			want := slices.Clone(c.clicks)
			slices.Sort(want)
			if !slices.Equal(clicked, want) {
				t.Errorf("clicked %v, want %v", clicked, want)
			}
			if a := axeOf(t, out); len(a.GroupsNotRun) > 0 {
				t.Errorf("not examined: %v", a.GroupsNotRun)
			}
		})
	}
}

// A page without a banner is not touched: no click, no focus, no script of the
// rules. Words about cookies in a menu or a footer are no banner.
// proves S-18
func TestAPageWithoutABannerIsNotClicked(t *testing.T) {
	b := needBrowser(t)
	watch := clicks + `<script>for (const e of ["mousedown", "pointerdown", "keydown", "focusin", "touchstart"]) addEventListener(e, () => { new Image().src = "/touched?" + e }, true)</script>`
	for name, page := range map[string]string{
		"plain":                     html(watch, tall),
		"fixed menu":                html(watch, `<nav aria-label="Site" style="position:fixed;top:0;left:0;right:0"><a href="/cookies">Cookie policy</a> <a href="/shop">Cookies and cakes</a><button>Menu</button></nav>`+tall),
		"chat window":               html(watch, tall+`<div role="dialog" aria-label="Chat" style="`+fixed+`"><p>Can we help?</p><button aria-label="Close">×</button><button>Yes, please</button></div>`),
		"newsletter with a policy":  html(watch, tall+`<div role="dialog" aria-label="News" style="`+fixed+`"><p>Subscribe to our letter. We keep to our <a href="/cookies">cookie policy</a>.</p><button>No thanks</button><button>Yes</button></div>`),
		"order tracking":            html(watch, tall+`<div role="dialog" aria-label="Order" style="`+fixed+`"><p>Enter your tracking number</p><button aria-label="Close">×</button></div>`),
		"login":                     html(watch, tall+`<div role="dialog" aria-label="Log in" style="`+fixed+`"><p>Log in. This site needs cookies.</p><label>Password <input type="password"></label><button>Continue</button><button aria-label="Close">×</button></div>`),
		"newsletter":                html(watch, tall+`<div role="dialog" aria-label="News" style="`+fixed+`"><p>Subscribe to our letter</p><button>No thanks</button><button>Yes</button></div>`),
		"consent tool, chosen once": html(watch+`<script>document.cookie="OptanonAlertBoxClosed=1"</script>`, tall+`<div id="onetrust-consent-sdk"><div id="onetrust-banner-sdk" style="display:none"><p>Cookies</p><button id="onetrust-reject-all-handler">Reject All</button></div></div>`),
	} {
		t.Run(name, func(t *testing.T) {
			d := newDoor(t, one(page))
			out := open(t, b, d, "/")
			if len(out.Notes) > 0 {
				t.Errorf("notes %v", out.Notes)
			}
			for _, r := range d.requests() {
				if strings.Contains(r, "/clicked?") || strings.Contains(r, "/touched?") {
					t.Error(r)
				}
			}
		})
	}
}

// What a run learns of a site's banner on one page saves time on the next: a tool
// that brings none is awaited once, and one that cannot be refused is tried once.
func TestARunAsksOncePerBanner(t *testing.T) {
	b := plainBrowser(t)
	for name, page := range map[string]string{
		"only accepting": dialog(we, button("ok", "OK")),
		"tool without":   shop(`<script src="/cookie-consent.js"></script>`),
	} {
		t.Run(name, func(t *testing.T) {
			d := newDoor(t, pages{"/0": page, "/1": page, "/2": page, "/3": page, "/cookie-consent.js": ""})
			v := visitOf(t, b, d, "/0")
			visited := func(i int) (time.Duration, []string) {
				v.URL = fmt.Sprintf("http://site.example/%d", i)
				began := time.Now()
				out, err := b.Visit(t.Context(), v)
				if err != nil {
					t.Fatal(err)
				}
				return time.Since(began), out.Notes
			}
			first, notes := visited(0)
			var later time.Duration
			for i := range 3 { // a busy machine may delay one of them
				var same []string
				if later, same = visited(i + 1); !slices.Equal(notes, same) {
					t.Errorf("%v, then %v", notes, same)
				}
				if first-later >= time.Second {
					return
				}
			}
			t.Errorf("the first page took %s, the last %s", first, later)
		})
	}
}

// The rules for known tools click through our hands as well: what accepts gets no
// click from them, and after they were stopped nothing does.
// proves R-22
func TestTheRulesCannotAccept(t *testing.T) {
	b := needBrowser(t)
	d := newDoor(t, one(dialog(we, `<button id="yes">Accept all</button>`, `<input id="ja" type="button" value="Alle akzeptieren">`, `<a id="si" href="#" aria-label="Aceptar"></a>`, `<button id="some">Accept selection</button>`, `<button id="later">Reject all</button>`)))
	tb := heldTab(t, b, d, "/")
	w, err := tb.newWorld(tb.main(), callLimit)
	if err != nil {
		t.Fatal(err)
	}
	press := func(ids ...string) string {
		return `for (const id of ["` + strings.Join(ids, `","`) + `"]) document.getElementById(id).click();`
	}
	if err := w.run(callLimit, b.scripts.consent+";"+b.scripts.tool+";"+press("yes", "ja", "si", "some")+"visiteTool.stop();"+press("some", "later"), nil); err != nil {
		t.Fatal(err)
	}
	tb.traffic.quiet(tb.ctx, 200*time.Millisecond, 2*time.Second)
	if got := d.count("/clicked?"); got != 1 || d.count("/clicked?some") != 1 {
		t.Errorf("clicks: %v", d.requests())
	}
}

// What buttons say is told apart in four languages. In doubt a button accepts.
func TestWordsOfButtons(t *testing.T) {
	b := needBrowser(t)
	tb := heldTab(t, b, newDoor(t, one(html("", ""))), "/")
	w, err := tb.newWorld(tb.main(), callLimit)
	if err != nil {
		t.Fatal(err)
	}
	const rejects, accepts, neither = "true,false", "false,true", "false,false"
	for text, want := range map[string]string{
		"Reject all": rejects, "Decline": rejects, "Only necessary cookies": rejects, "Use necessary cookies only": rejects, "Necessary only": rejects, "I do not agree": rejects,
		"Alle ablehnen": rejects, "Nur notwendige Cookies": rejects, "Nur essenzielle Cookies akzeptieren": rejects, "Weiter ohne Einwilligung": rejects, "Nicht zustimmen": rejects,
		"Rechazar todas": rejects, "Don't accept": rejects, "Do not accept all": rejects, "Solo necesarias": rejects, "No acepto": rejects, "Tout refuser": rejects, "Continuer sans accepter": rejects,
		"Accept all": accepts, "OK": accepts, "Got it": accepts, "Allow cookies": accepts, "Continue": accepts, "Alle akzeptieren": accepts, "Zustimmen und weiter": accepts, "Ja, einverstanden": accepts,
		"Verstanden": accepts, "Aceptar y continuar": accepts, "Entendido": accepts, "Accepter et fermer": accepts, "Accept all and don't show again": accepts, "Ja, nicht mehr fragen": accepts, "Accept all, no questions": accepts, "Alle akzeptieren und speichern": accepts, "J'accepte": accepts,
		"Reject and subscribe": neither, "Ablehnen und Abo kaufen": neither, "Rechazar y pagar": neither, "Settings": neither, "Einstellungen": neither, "Save selection": neither, "Accept selection": neither, "Cookie policy": neither,
	} {
		var got string
		quoted, _ := json.Marshal(strings.ToLower(text))
		if err := w.run(callLimit, fmt.Sprintf("%s;((t) => visiteConsent.rejects(t) + ',' + visiteConsent.accepts(t))(%s)", b.scripts.consent, quoted), &got); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%q: rejects, accepts = %s, want %s", text, got, want)
		}
	}
}

// The page sees nothing of the rules, and learns nothing of what is looked for.
func TestThePageDoesNotSeeTheRules(t *testing.T) {
	d := newDoor(t, one(dialog(we, button("ok", "OK"))+`<script>setInterval(() => { for (const n of ["autoconsentReceiveMessage", "autoconsentSendMessage", "visiteTool", "visiteConsent", "visite"]) if (n in window) new Image().src = "/saw?" + n }, 50)</script>`))
	open(t, needBrowser(t), d, "/")
	if d.count("/saw?") != 0 {
		t.Errorf("%v", d.requests())
	}
}
