package schema

import "time"

// SeenRequest is a request of ours as whoever was visited may know it: nothing
// of the customer behind it.
type SeenRequest struct {
	At      time.Time
	Method  string
	Target  string // the address from its path on, query values redacted
	Purpose Purpose
	Cause   Cause
	Profile string
	Status  int // 0: under way, or no answer
}

// HostChallenge is what whoever wants to prove that they run a host is given. The
// secret stays with them; the word, which anybody may read, is made from it and
// tells nothing of it.
type HostChallenge struct {
	Secret   string
	Word     string
	DNSName  string // where the word goes as a TXT record; empty where the host is an address
	FilePath string // where the word goes as a file
}

// HostProofResult is what came of looking for a challenge's word.
type HostProofResult struct {
	Proved    bool
	NoRecord  bool      // no TXT record stands at the name
	Status    int       // of the file's answer; 0 where there was none
	Admission Admission // why the file was not asked for, where it was not granted
}
