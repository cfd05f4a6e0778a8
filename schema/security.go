package schema

// StrictTransport is a Strict-Transport-Security field, read (RFC 6797 section 6.1).
type StrictTransport struct {
	Present    bool  `json:"present,omitempty"`
	Valid      bool  `json:"valid,omitempty"`
	MaxAge     int64 `json:"max_age,omitempty"` // seconds
	SubDomains bool  `json:"sub_domains,omitempty"`
	Preload    bool  `json:"preload,omitempty"`
}

// FrontSecurity is what the page a scan began at says about security, in the
// closed words of the HTTP Observatory's tests. Nothing of the answer itself.
type FrontSecurity struct {
	Secure          bool            `json:"secure"` // came over https
	StrictTransport StrictTransport `json:"strict_transport"`
	CSP             string          `json:"csp"`
	Cookies         string          `json:"cookies"`
	CORS            string          `json:"cors"`
	Referrer        string          `json:"referrer"`
	SRI             string          `json:"sri"`
	ContentType     string          `json:"content_type"`
	Framing         string          `json:"framing"`
	CORP            string          `json:"corp"`
}

// SecurityFacts is what verdicts about a site's security are made from.
type SecurityFacts struct {
	Front *FrontSecurity // nil where no page of the site was read
	Probe *SiteProbe     // nil where the site's connections were not looked at
}

// GradeTest is one of the Observatory's tests, with its result's closed name.
type GradeTest struct {
	Test     string `json:"test"`
	Result   string `json:"result"`
	Modifier int    `json:"modifier"`
}

// SecurityGrade is a site's grade by the published scoring of the HTTP
// Observatory, from our own facts.
type SecurityGrade struct {
	Grade string      `json:"grade"` // "A+" to "F"
	Score int         `json:"score"` // from 0 on, over 100 with bonuses
	Tests []GradeTest `json:"tests"`
}

// CheckVerdict is what a check over the site came to. A closed list.
type CheckVerdict string

const (
	CheckPassed        CheckVerdict = "passed"
	CheckFailed        CheckVerdict = "failed"
	CheckUnknown       CheckVerdict = "unknown"        // could not be found out; no fault
	CheckNotApplicable CheckVerdict = "not_applicable" // means nothing for this site
)

// SecurityCheck is one check of the site as a whole.
type SecurityCheck struct {
	Rule    string       `json:"rule"`
	Verdict CheckVerdict `json:"verdict"`
	Detail  string       `json:"detail,omitempty"` // figures and closed words
}

// SiteSecurity is what a site's security came to, as recorded and reported.
type SiteSecurity struct {
	Grade   *SecurityGrade  `json:"grade,omitempty"` // nil where the site cannot be graded
	NoGrade string          `json:"no_grade,omitempty"`
	Checks  []SecurityCheck `json:"checks,omitempty"`
}

// Why a site has no grade. A closed list.
const (
	NoGradeLocal   = "local"         // a host of this machine or network: the scoring is about sites of the internet
	NoGradeAddress = "address"       // an address instead of a name: HSTS and others cannot apply
	NoGradeNoPage  = "no_page"       // no page of the site was read
	NoGradeNoProbe = "not_looked_at" // the scan ended before the site's connections were looked at
)
