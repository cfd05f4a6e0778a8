package schema

import "time"

// FreePolicy offers the free analysis of one page to anybody without an account
// (contract S-16, R-11). A profile without one does not offer it.
type FreePolicy struct {
	CachedFor  time.Duration `json:"cached_for" yaml:"cached_for"`     // an address is not visited again within; the result is deleted then (R-11: 24h)
	HostADay   int           `json:"host_a_day" yaml:"host_a_day"`     // analyses of one host in a UTC day, whoever asks
	CallerADay int           `json:"caller_a_day" yaml:"caller_a_day"` // analyses one caller may begin in a UTC day
	AtOnce     int           `json:"at_once" yaml:"at_once"`           // analyses under way at once in the deployment, so that customers' scans have room
}

// Bounds of a FreePolicy.
const (
	freeCachedMin = 24 * time.Hour
	freeCachedMax = 7 * 24 * time.Hour
	freeCallerMax = 1000
	freeAtOnceMax = 1000
)

// FreeRefusalLasts is how long a free analysis that loaded no page answers for its
// address: then the reason may have gone, as robots.txt is read again.
const FreeRefusalLasts = RobotsAge

// FreeWaitMost is the longest a free analysis waits for a host that asked for
// rest: whoever asked does not, and is told until when the host rests.
const FreeWaitMost = 2 * time.Minute

// FreeWorkspace is the room of free analyses; no token opens it.
const FreeWorkspace = "free-analysis"

// FreeAnalysis is one page analysed for somebody without an account.
type FreeAnalysis struct {
	ID        string // unguessable: whoever has it may read the result
	Scan      Scan
	ExpiresAt time.Time // the result is deleted then
	Loaded    bool      // the page was asked for
}

// faults tells what is wrong with a policy; nil where nothing is.
func (f *FreePolicy) faults(limits Limits) (faults []string) {
	if f == nil {
		return nil
	}
	need := func(ok bool, what string) {
		if !ok {
			faults = append(faults, "free_analysis."+what)
		}
	}
	need(f.CachedFor >= freeCachedMin && f.CachedFor <= freeCachedMax, "cached_for must be 24h to 168h")
	need(f.HostADay >= 1 && f.HostADay <= limits.UnverifiedPages, "host_a_day must be 1 to limits.unverified_pages")
	need(f.CallerADay >= 1 && f.CallerADay <= freeCallerMax, "caller_a_day must be 1 to 1000")
	need(f.AtOnce >= 1 && f.AtOnce <= freeAtOnceMax, "at_once must be 1 to 1000")
	return faults
}

// FreeOrder asks for a free analysis to be recorded.
type FreeOrder struct {
	ID         string
	Scan       Scan   // URL, ScopeHost, Profile (with its FreePolicy) and Contact are set
	Loopback   bool   // the site listens on this machine: it has no few pages to be counted among
	Caller     string // the network of whoever asks; kept as a salted hash for the day
	Unverified int    // pages a day that a site gives without proof, over all
}
