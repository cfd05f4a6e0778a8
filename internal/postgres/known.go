package postgres

import (
	"sync"
	"time"
)

// knownAddresses remembers which addresses of running scans are recorded, under
// which id, and which of them are in the frontier: most links of a page lead to
// addresses that an earlier page led to, and need no look-up then. Rows of both
// tables neither go nor change their ids. Only what is on disk is told: what a crash of
// PostgreSQL can take back must not be taken for granted here.
type knownAddresses struct {
	mu      sync.Mutex
	scans   map[string]*knownScan
	total   int
	settled time.Time // when what was learnt was made sure of last
}

// knownScan is what is known of one scan.
type knownScan struct {
	used  time.Time
	met   map[addressKey]knownAddress
	fresh []metAddress // committed, maybe not on disk yet
}

// addressKey is an address's hash.
type addressKey [16]byte

type knownAddress struct {
	id     int64 // 0: not known
	queued bool  // in the frontier
}

type metAddress struct {
	key addressKey
	knownAddress
}

const (
	// knownMost bounds the addresses of all scans together, at some 50 bytes each.
	knownMost = 250_000
	// knownSettle is how often at most the disk is waited for only for their sake.
	knownSettle = time.Second
)

// find tells what is known of addresses, in their order.
func (k *knownAddresses) find(scan string, keys []addressKey) []knownAddress {
	out := make([]knownAddress, len(keys))
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.scans[scan]
	if s == nil {
		return out
	}
	s.used = time.Now()
	for i, key := range keys {
		out[i] = s.met[key]
	}
	return out
}

// learn takes down what a committed transaction wrote or saw. It is told from
// the next settle on.
func (k *knownAddresses) learn(scan string, met []metAddress) {
	if scan == "" || len(met) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.scans[scan]
	if s == nil {
		s = &knownScan{met: map[addressKey]knownAddress{}}
		k.scans[scan] = s
	}
	s.used = time.Now()
	if k.total+len(met) > knownMost {
		k.forgetIdle(s)
	}
	if k.total+len(met) > knownMost {
		return // what was met first is met most
	}
	k.total += len(met)
	s.fresh = append(s.fresh, met...)
}

// forgetIdle drops the scan that was not asked about for the longest time. Call with mu held.
func (k *knownAddresses) forgetIdle(but *knownScan) {
	idle := ""
	for id, s := range k.scans {
		if s != but && (idle == "" || s.used.Before(k.scans[idle].used)) {
			idle = id
		}
	}
	k.drop(idle)
}

// drop forgets a scan. Call with mu held.
func (k *knownAddresses) drop(scan string) {
	if s := k.scans[scan]; s != nil {
		k.total -= len(s.met) + len(s.fresh)
		delete(k.scans, scan)
	}
}

// forget drops a scan that has ended.
func (k *knownAddresses) forget(scan string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop(scan)
}

// due reports whether what was learnt has waited long enough to be made sure of,
// to one caller at a time.
func (k *knownAddresses) due() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if time.Since(k.settled) < knownSettle {
		return false
	}
	for _, s := range k.scans {
		if len(s.fresh) > 0 {
			k.settled = time.Now()
			return true
		}
	}
	return false
}

// settle waits for the disk by flush; what was learnt before is told from then
// on, or forgotten where that failed.
func (k *knownAddresses) settle(flush func() error) error {
	k.mu.Lock()
	fresh := map[*knownScan][]metAddress{}
	for _, s := range k.scans {
		if len(s.fresh) > 0 {
			fresh[s], s.fresh = s.fresh, nil
		}
	}
	k.settled = time.Now()
	k.mu.Unlock()
	err := flush()
	k.mu.Lock()
	defer k.mu.Unlock()
	living := map[*knownScan]bool{}
	for _, s := range k.scans {
		living[s] = true
	}
	for s, met := range fresh {
		if !living[s] {
			continue
		}
		for _, m := range met {
			have, twice := s.met[m.key]
			if err != nil || twice {
				k.total--
			}
			if err == nil {
				m.queued = m.queued || have.queued
				s.met[m.key] = m.knownAddress
			}
		}
	}
	return err
}
