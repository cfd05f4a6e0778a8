package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"visite/internal/config"
	"visite/schema"
)

// botPath is where the visits under a profile are explained.
func botPath(profile string) string {
	if profile == "" || profile == config.DefaultProfile {
		return "/bot"
	}
	return "/bot/" + url.PathEscape(profile)
}

var publicCSS = func() template.CSS {
	css, err := publicFiles.ReadFile("public/page.css")
	if err != nil {
		panic(err) // built into the program
	}
	return template.CSS(css) //nolint:gosec // ours
}()

// publicPolicy lets the page have its own style and send its own forms.
var publicPolicy = func() string {
	sum := sha256.Sum256([]byte(publicCSS))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}()

var publicPages = template.Must(template.ParseFS(publicFiles, "public/*.tmpl"))

// langLink leads to the same page in another language.
type langLink struct {
	Code, Name, URL, Path string
	Current               bool
}

// publicPage is what every page for the visited has.
type publicPage struct {
	phrases
	Title string
	CSS   template.CSS
	Langs []langLink
	Bot   string // path of the page about the profile, in this language
	// LangQuery keeps a language that was asked for expressly.
	LangQuery string
}

// agentRow tells which User-Agent a purpose's requests carry.
type agentRow struct{ Purpose, Agent string }

// botView is what the page about a profile is made from: the profile and the
// lists the program runs on, and nothing written for the page.
type botView struct {
	publicPage
	Profile      schema.Profile
	BrowserAgent string
	ClientAgent  string
	OneAgent     bool
	Agents       []agentRow
	Tokens       string
	Causes       []string
	Kept         []string
	Methods      string
	Notes        []string // what else the browser does at a page
	Exceptions   []string
	Egress       []string
	Contact      string
	ContactURL   string
	PublicURL    string
	DNSExample   string
	FilePath     string
	Others       []profileLink
	Tolerance    time.Duration
	RobotsAge    time.Duration
	LedgerDays   int

	FilesAPage, FilesElsewhere int // that one page may have loaded, and of these from one other server

	LinkAddresses int // of one server in a visit (C-10)
	LinkRest      time.Duration
	FreeLink      string // where anybody asks for a free analysis; empty where the identity offers none
	Asks          bool   // the forms have something behind them
	Ask           askForm
	Object        objectForm
}

type profileLink struct{ Name, URL string }

// serveBot serves the page that every User-Agent names, and what belongs to it.
func (a *API) serveBot() {
	a.router.Get("/", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, botPath(""), http.StatusFound) })
	a.router.Get("/bot", a.limited(ratePages, a.showBot))
	a.router.Get("/bot/conformance", a.limited(ratePages, a.showConformance))
	a.router.Get("/bot/{profile}", a.limited(ratePages, a.showBot))
	for _, base := range []string{"/bot", "/bot/{profile}"} {
		a.router.Post(base+"/identify", a.limited(rateIdentify, a.postIdentify))
		a.router.Post(base+"/object", a.limited(rateObject, a.postObject))
	}
}

// limited is limitPublic for pages and forms.
func (a *API) limited(class string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if wait := a.tooSoon(class, remoteHost(r)); wait > 0 {
			a.answer(w, r, a.problemOf(r.Context(), tooOften(wait)))
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if problem := formProblem(r, r.ParseForm()); problem != nil {
			a.answer(w, r, problem)
			return
		}
		next(w, r)
	}
}

// formProblem tells a form that is too large from one that is none. A page is shown
// whatever stands in its query.
func formProblem(r *http.Request, err error) *Problem {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		detail, remedy := wording(codeBodyTooLarge)
		return newProblem(http.StatusRequestEntityTooLarge, codeBodyTooLarge, detail, remedy)
	case err != nil && r.Method == http.MethodPost:
		detail, remedy := wording(codeMalformedForm)
		return newProblem(http.StatusBadRequest, codeMalformedForm, detail, remedy)
	}
	return nil
}

func (a *API) showBot(w http.ResponseWriter, r *http.Request) {
	if v, ok := a.botView(r); ok {
		w.Header().Set("Cache-Control", "public, max-age=300")
		a.render(w, r, http.StatusOK, "bot.html.tmpl", v.Lang, v)
		return
	}
	a.notFound(w, r)
}

// render writes a page whole, so that a fault in it is answered as one.
func (a *API) render(w http.ResponseWriter, r *http.Request, status int, name, lang string, v any) {
	var page bytes.Buffer
	if err := publicPages.ExecuteTemplate(&page, name, v); err != nil {
		a.answer(w, r, a.problemOf(r.Context(), err))
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", lang)
	h.Add("Vary", "Accept-Language")
	h.Set("Content-Security-Policy", publicPolicy)
	h.Set("Referrer-Policy", "same-origin") // without a referrer, browsers send a form as of no origin
	w.WriteHeader(status)
	if _, err := w.Write(page.Bytes()); err != nil {
		a.log.DebugContext(r.Context(), "answer not written", "request_id", requestID(r.Context()), "error", err)
	}
}

// publicPage begins a page at a path in the language the request asks for.
func (a *API) publicPage(r *http.Request, path string) publicPage {
	asked := r.URL.Query().Get("lang")
	p := publicPage{phrases: publicWords(languageFor(asked, r.Header.Get("Accept-Language"))), CSS: publicCSS}
	for _, code := range publicLanguages {
		words := publicWords(code)
		p.Langs = append(p.Langs, langLink{Code: code, Name: words.T("lang.name"), Path: path + "?lang=" + code, URL: a.PublicURL + path + "?lang=" + code, Current: code == p.Lang})
	}
	if slices.Contains(publicLanguages, asked) {
		p.LangQuery = "?lang=" + asked
	}
	p.Bot = botPath("") + p.LangQuery
	return p
}

func (a *API) botView(r *http.Request) (*botView, bool) {
	profile, known := a.Profiles.Profile(firstOf(r.PathValue("profile"), config.DefaultProfile))
	if !known {
		return nil, false
	}
	path := botPath(profile.Name)
	v := &botView{
		publicPage: a.publicPage(r, path), Profile: a.identity(profile, firstOf(profile.Contact, a.Contact)), PublicURL: a.PublicURL,
		Tolerance: identifyTolerance, RobotsAge: schema.RobotsAge, LedgerDays: a.LedgerDays, Asks: a.Visited != nil,
		FilesAPage: schema.FilesAPage, FilesElsewhere: schema.FilesElsewhere,
		LinkAddresses: schema.LinkAddressesAVisit, LinkRest: schema.LinkRest,
	}
	v.Title = v.T("title", profile.Product)
	v.BrowserAgent, v.ClientAgent = v.Profile.BrowserUserAgent("… Safari/537.36"), v.Profile.ClientUserAgent()
	v.OneAgent = v.BrowserAgent == v.ClientAgent
	for _, p := range schema.Purposes {
		v.Agents = append(v.Agents, agentRow{v.T("purpose." + string(p)), v.T(agentKey(p, v.OneAgent))})
	}
	for _, c := range schema.Causes {
		if c == schema.CauseFree && profile.Free == nil { // not under this identity
			continue
		}
		v.Causes = append(v.Causes, v.T("cause."+string(c)))
	}
	for _, k := range kept {
		v.Kept = append(v.Kept, v.T(k.key))
	}
	for _, e := range schema.PacingExceptions {
		if key := "exception." + string(e); v.has(key) {
			v.Exceptions = append(v.Exceptions, v.T(key, v.Span(schema.BriskMinutesMax*time.Minute), v.Num(schema.BriskPages)))
		}
	}
	if profile.Free != nil && !profile.LoopbackOnly {
		v.FreeLink = freePage + v.LangQuery
	}
	v.Notes = []string{v.T("what.banner"), v.T("what.blocked")}
	v.Tokens = v.list(quotedAll(profile.Tokens))
	v.Methods = v.list(schema.Methods)
	for _, prefix := range a.Egress {
		v.Egress = append(v.Egress, prefixText(prefix))
	}
	v.Contact = v.Profile.Contact
	if v.ContactURL = v.Contact; strings.Contains(v.Contact, "@") && !strings.Contains(v.Contact, ":") {
		v.ContactURL = "mailto:" + v.Contact
	}
	if a.HostProofs != nil {
		example := a.HostProofs.Challenge("example.com", "")
		v.DNSExample, v.FilePath = example.DNSName, example.FilePath
	}
	for _, p := range a.Profiles.All() {
		if p.Name != profile.Name && !p.LoopbackOnly {
			v.Others = append(v.Others, profileLink{p.Product, botPath(p.Name) + v.LangQuery})
		}
	}
	v.Ask.Action, v.Object = path+"/identify?lang="+v.Lang, newObjectForm(path+"/object?lang="+v.Lang)
	return v, true
}

func quotedAll(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "`" + w + "`"
	}
	return out
}

// ProductVersion is what operators may let us in by (S-45).
func (v *botView) ProductVersion() string { return v.Profile.Product + "/" + v.Profile.Version }

// agentKey tells which User-Agent a purpose's requests carry (S-04, S-07).
func agentKey(p schema.Purpose, one bool) string {
	switch {
	case one:
		return "agent.one"
	case p == schema.PurposePage || p == schema.PurposePageFile:
		return "agent.browser"
	}
	return "agent.client"
}

// kept groups what is recorded of a page, field by field of schema.Page; a test
// sees to it that none is left out (C-59, C-60).
var kept = []struct {
	key    string
	fields []string
}{
	{"kept.address", []string{"URL", "FinalURL", "Redirects", "Links", "Depth"}},
	{"kept.answer", []string{"Outcome", "Reason", "BlockedBy", "Status", "MediaType", "Charset", "Protocol", "Encoding", "Notes"}},
	{"kept.figures", []string{"Timing", "WireBytes", "Bytes", "Words", "Elements", "Requests", "RefusedCalls", "Speed", "Weight", "TrackersBy", "InspectedAt"}},
	{"kept.self", []string{"Title", "Description", "Sharing", "Languages", "RobotsTags", "Canonical"}},
	{"kept.hash", []string{"ContentHash"}},
	{"kept.structure", []string{"Structure"}},
	{"kept.findings", []string{"Findings"}},
	{"kept.preview", []string{"Preview"}},
}
