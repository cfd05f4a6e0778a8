package schema

import "time"

// PaceAsk asks for a turn at a host; answered in one PostgreSQL transaction so
// that all workers and customers keep the pace together.
type PaceAsk struct {
	ScanID      string        // whose visit it is: a brisk gait may be in force for it (C-47)
	Host        string        // HostKey
	IP          string        // resolved address the visit will use; may be empty
	Holder      string        // the same holder asking again keeps its turn
	Slots       int           // visits at once on the host
	IPSlots     int           // visits at once on the address
	TTL         time.Duration // the turn lapses by itself unless renewed
	PauseMin    time.Duration
	PauseFactor float64
	CrawlDelay  time.Duration
	Origin      string // whose robots.txt decides about the visit; may be empty
}

// PaceGrant is the answer: granted, or not before when.
type PaceGrant struct {
	Granted      bool
	NotBefore    time.Time     // where not granted
	In           time.Duration // the same as a span by the database's clock
	Reason       Reason        // ReasonServerParked when the host asked for rest
	Busy         bool          // where not granted: all turns are taken, In is when to ask again
	SlowFactor   float64       // the slow-down in force, 1 for none (S-36)
	RobotsReadAt time.Time     // when the copy kept for PaceAsk.Origin was read; zero for none

	Objection ObjectionKind   // where not granted: the host asked for it (C-43); ReasonObjection or ReasonQuietHours goes with it
	Slower    float64         // what the host's wish multiplies every pause by, 1 for none
	Exception PacingException // where granted: the exception from pacing in force, empty for none
}

// PaceDone gives a turn back and tells how the host answered.
type PaceDone struct {
	Host         string
	IP           string
	Holder       string
	ResponseTime time.Duration // full length for a timeout
	Loaded       bool          // the host answered in order
	PauseMin     time.Duration // as in the PaceAsk: the pause that follows goes by them
	PauseFactor  float64
	CrawlDelay   time.Duration
}

// HostPace is what is known of a host's pace, for people to read.
type HostPace struct {
	Host         string
	NextAt       time.Time
	ParkedUntil  time.Time
	SlowFactor   float64
	ResponseTime time.Duration
	InFlight     int
}

// RobotsOutcome is what a robots.txt read came to (RFC 9309 section 2.3.1).
type RobotsOutcome string

const (
	RobotsParse    RobotsOutcome = "parse"     // the body's rules apply
	RobotsAllowAll RobotsOutcome = "allow_all" // 4xx
	RobotsDenyAll  RobotsOutcome = "deny_all"  // unreachable: 5xx, 429, no answer, name or TLS failure
)

// RobotsCopy is a read robots.txt, kept per origin (scheme, host, port).
type RobotsCopy struct {
	Origin       string // "https://example.com" or with port
	ReadAt       time.Time
	Outcome      RobotsOutcome
	Status       int
	Reason       Reason // why unreachable
	Body         []byte // at most 512 KiB; empty unless RobotsParse
	ETag         string
	LastModified string
}

// RobotsDecision is the verdict on one URL.
type RobotsDecision struct {
	URL        string        `json:"url"`
	Allow      bool          `json:"allow"`
	Group      string        `json:"group"` // the user-agent values that decided, joined by ", "; "*" for the general group, empty for none
	Rule       string        `json:"rule"`  // "Disallow: /x"; empty where no rule spoke
	Line       int           `json:"line"`  // 1-based line of the rule, 0 for none
	CrawlDelay time.Duration `json:"-"`
	StarAllow  bool          `json:"star_allow"` // what the * group alone would say
}
