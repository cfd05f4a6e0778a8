package activities

import (
	"context"
	"net/url"
	"time"

	"visite/internal/inspect/robotsfile"
	"visite/internal/inspect/sitemap"
	"visite/schema"
)

// Sites is the steps that read what a site says to robots.
type Sites struct {
	Store ScanStore
	Door  Door
	Fetch Fetcher
}

// RobotsInput asks for a site's robots.txt.
type RobotsInput struct {
	ScanID  string
	Since   time.Time // the copy must have been read at or after
	MaxWait time.Duration
}

// RobotsOutput is what robots.txt says about the scan's seed.
type RobotsOutput struct {
	Wait     *Wait
	Reason   schema.Reason // why nothing may be loaded; empty when the seed may
	Cause    schema.Reason // why robots.txt could not be read, where that is the reason
	Rule     string
	Sitemaps []string
	DelayMS  int64
}

// ReadRobots reads robots.txt before anything else (S-25) and says whether the
// seed may be loaded.
func (s *Sites) ReadRobots(ctx context.Context, in RobotsInput) (RobotsOutput, error) {
	defer keepAlive(ctx)()
	scan, err := s.Store.Scan(ctx, in.ScanID)
	if err != nil {
		return RobotsOutput{}, asFault("read scan", err)
	}
	seed, err := scopeRoot(scan)
	if err != nil {
		return RobotsOutput{}, asFault("parse seed", err)
	}
	if err := s.Store.SetPhase(ctx, in.ScanID, schema.PhaseRobots, "", noTime); err != nil {
		return RobotsOutput{}, asFault("set phase", err)
	}
	visit := visitOf(scan, schema.PurposeRobots, seed.String(), scan.ID+"/robots", in.MaxWait, in.Since)
	reading, admission, err := s.Door.ReadRobots(ctx, visit)
	if err != nil {
		return RobotsOutput{}, asFault("read robots.txt", err)
	}
	switch admission.Kind {
	case schema.AdmissionWait:
		return RobotsOutput{Wait: s.noteWait(ctx, scan.ID, schema.PhaseRobots, admission)}, nil
	case schema.AdmissionDenied:
		return RobotsOutput{Reason: admission.Reason, Rule: admission.Rule}, nil
	}
	stated := schema.ScanRobots{Status: reading.Copy.Status, CrawlDelay: reading.CrawlDelay, Rule: reading.Decision.Rule, ReadAt: reading.Copy.ReadAt}
	if err := s.Store.SetRobots(ctx, scan.ID, stated); err != nil {
		return RobotsOutput{}, asFault("set robots", err)
	}
	if reading.Copy.Outcome == schema.RobotsParse {
		if err := s.Store.SetRobotsFile(ctx, scan.ID, robotsfile.Examine(reading.Copy.Body)); err != nil {
			return RobotsOutput{}, asFault("record how robots.txt is written", err)
		}
	}
	out := RobotsOutput{DelayMS: reading.CrawlDelay.Milliseconds()}
	switch {
	case reading.Copy.Outcome == schema.RobotsDenyAll:
		out.Reason, out.Cause = schema.ReasonRobotsUnreached, reading.Copy.Reason
	case !reading.Decision.Allow:
		out.Reason, out.Rule = schema.ReasonRobots, reading.Decision.Rule
	}
	out.Sitemaps = sitemapsOf(seed, reading.Sitemaps)
	return out, nil
}

// scopeRoot is the address a scan begins at or, where that redirected to its sister
// host, that host's first.
func scopeRoot(scan schema.Scan) (*url.URL, error) {
	seed, err := url.Parse(scan.URL)
	if err == nil && schema.HostKey(seed) != scan.ScopeHost {
		seed = &url.URL{Scheme: seed.Scheme, Host: scan.ScopeHost, Path: "/"}
	}
	return seed, err
}

// maxSitemaps bounds the sitemaps named by one robots.txt or index.
const maxSitemaps = 200

// sitemapsOf keeps the named sitemaps on the site's own hosts, or names the
// default location (S-50). One whose address carries a secret is left alone: the
// address would stand in the workflow's history.
func sitemapsOf(seed *url.URL, named []string) []string {
	var out []string
	for _, raw := range named {
		u, err := url.Parse(raw)
		if err == nil && sameSite(u, seed) && !schema.CarriesSecret(raw) && len(out) < maxSitemaps {
			out = append(out, raw)
		}
	}
	if len(out) == 0 {
		out = append(out, seed.ResolveReference(&url.URL{Path: "/sitemap.xml"}).String())
	}
	return out
}

// SitemapInput asks for one sitemap.
type SitemapInput struct {
	ScanID  string
	URL     string
	Since   time.Time
	MaxWait time.Duration
}

// SitemapOutput is what one sitemap came to.
type SitemapOutput struct {
	Wait     *Wait
	Children []string // sitemaps named by an index, own hosts only
	Added    int      // addresses not known before
	Reason   schema.Reason
}

// maxSitemapBytes is the protocol's own limit, decoded.
const maxSitemapBytes = 50 << 20

// ReadSitemap reads one sitemap and queues its addresses within the scope.
func (s *Sites) ReadSitemap(ctx context.Context, in SitemapInput) (SitemapOutput, error) {
	defer keepAlive(ctx)()
	scan, err := s.Store.Scan(ctx, in.ScanID)
	if err != nil {
		return SitemapOutput{}, asFault("read scan", err)
	}
	if err := s.Store.SetPhase(ctx, in.ScanID, schema.PhaseSitemap, "", noTime); err != nil {
		return SitemapOutput{}, asFault("set phase", err)
	}
	base, err := url.Parse(in.URL)
	if err != nil {
		return SitemapOutput{Reason: schema.ReasonBadRedirect}, nil
	}
	visit := visitOf(scan, schema.PurposeSitemap, in.URL, scan.ID+"/sitemap", in.MaxWait, in.Since)
	visit.ScopeHost = schema.HostKey(base)
	pass, admission, err := s.Door.Enter(ctx, visit)
	if err != nil {
		return SitemapOutput{}, asFault("enter for sitemap", err)
	}
	if pass == nil {
		if admission.Kind == schema.AdmissionWait {
			return SitemapOutput{Wait: s.noteWait(ctx, scan.ID, schema.PhaseSitemap, admission)}, nil
		}
		return SitemapOutput{Reason: admission.Reason}, nil
	}
	defer leave(ctx, pass)
	defer holdTurn(ctx, pass)()
	fetchCtx, cancel := context.WithTimeout(ctx, sitemapDeadline)
	defer cancel()
	fetched, err := s.Fetch.Get(fetchCtx, pass, in.URL, maxSitemapBytes+1) // one more, so that the limit shows
	if ctx.Err() != nil {
		return SitemapOutput{}, ctx.Err()
	}
	if facts := pass.Document(); err != nil || facts.Status != 200 {
		unread := schema.SitemapFile{URL: schema.RedactAddress(in.URL), Status: facts.Status, Outcome: facts.Outcome, Reason: reasonOf(facts)}
		if err := s.Store.SetSitemapFile(ctx, scan.ID, unread); err != nil {
			return SitemapOutput{}, asFault("record a sitemap", err)
		}
		return SitemapOutput{Reason: reasonOf(facts)}, nil
	}
	return s.queueSitemap(ctx, scan, base, fetched.Body)
}

const sitemapDeadline = 90 * time.Second

func (s *Sites) queueSitemap(ctx context.Context, scan schema.Scan, base *url.URL, body []byte) (SitemapOutput, error) {
	result := sitemap.Parse(body, base)
	if err := s.Store.SetSitemapFile(ctx, scan.ID, sitemapFile(result, base, time.Now())); err != nil {
		return SitemapOutput{}, asFault("record a sitemap", err)
	}
	var out SitemapOutput
	for _, child := range result.Children {
		if u, err := url.Parse(child); err == nil && sameSite(u, base) && !schema.CarriesSecret(child) && len(out.Children) < maxSitemaps {
			out.Children = append(out.Children, child)
		}
	}
	var found []schema.Candidate
	for _, entry := range result.Pages {
		if c, ok := candidate(entry.Loc, base, scan.ScopeHost, schema.ViaSitemap); ok {
			found = append(found, c)
		}
	}
	added, err := s.Store.AddCandidates(ctx, scan.ID, found)
	if err != nil {
		return SitemapOutput{}, asFault("queue sitemap", err)
	}
	out.Added = added
	return out, nil
}

// datesTold is from how many pages on equal dates say something.
const datesTold = 20

// sitemapFile sums a sitemap up.
func sitemapFile(result sitemap.Result, base *url.URL, now time.Time) schema.SitemapFile {
	f := schema.SitemapFile{
		URL: schema.RedactAddress(base.String()), Status: 200, Outcome: schema.OutcomeAnalysed, Pages: len(result.Pages), Children: len(result.Children),
		SameDate: len(result.Pages) >= datesTold,
	}
	for _, e := range result.Pages {
		if u, err := url.Parse(e.Loc); err != nil || !sameSite(u, base) {
			f.Foreign++
		}
		if e.LastMod.After(now.Add(24 * time.Hour)) { // a day for dates without a zone
			f.Future++
		}
		f.SameDate = f.SameDate && !e.LastMod.IsZero() && e.LastMod.Equal(result.Pages[0].LastMod)
	}
	for _, p := range result.Problems {
		f.Problems = append(f.Problems, string(p))
	}
	return f
}

// noteWait records for people what the scan waits for.
func (s *Sites) noteWait(ctx context.Context, scanID string, phase schema.Phase, a schema.Admission) *Wait {
	return noteWait(ctx, s.Store, scanID, phase, Wait{Until: a.Until, Words: a.Words})
}

// noteWait is for show only: the workflow's timer is what waits.
func noteWait(ctx context.Context, store ScanStore, scanID string, phase schema.Phase, w Wait) *Wait {
	_ = store.SetPhase(ctx, scanID, phase, w.Words, w.Until)
	return &w
}
