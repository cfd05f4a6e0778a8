package report

import "visite/schema"

// notices say plainly what a reader must know before the figures: what the scan
// did not do, and why.
func notices(speak words, d *digest) ([]string, error) {
	var out []string
	var failure error
	say := func(text string, err error) {
		if failure == nil {
			failure = err
		}
		out = append(out, text)
	}
	switch d.scan.State {
	case schema.ScanFinished:
	case schema.ScanStopped, schema.ScanRefused:
		say(speak.t("notice."+string(d.scan.State), stateReason(speak, d.scan.StateReason)))
	default:
		say(speak.t("notice." + string(d.scan.State)))
	}
	if d.scan.State == schema.ScanRunning && d.scan.WaitingFor != "" {
		say(speak.t("notice.waiting", clean(d.scan.WaitingFor, 300)))
	}
	if d.analysed == 0 && d.scan.State.Final() && d.scan.State != schema.ScanRefused {
		say(speak.t("notice.nothing"))
	}
	if d.analysed > 0 && d.scan.Engine == schema.EngineHTTP {
		say(speak.t("notice.http"))
	}
	if d.unlooked.ByNames > 0 {
		say(speak.n("notice.names", d.unlooked.ByNames))
	}
	if d.unlooked.Unvalidated > 0 {
		say(speak.n("notice.unvalidated", d.unlooked.Unvalidated))
	}
	if d.scan.Cause == schema.CauseFree {
		say(speak.t("notice.free"))
		return out, failure
	}
	if left := d.progress.Found - d.progress.Done; left > 0 && d.scan.State.Final() {
		if d.scan.State == schema.ScanFinished {
			say(speak.n("notice.limit", left, speak.num(d.scan.MaxPages)))
		} else {
			say(speak.n("notice.unfinished", left))
		}
	}
	return out, failure
}

// robotsWords say how robots.txt was kept; empty where it was not read. There is no
// way to lift a rule of it (C-57 asks to state it where there is).
func robotsWords(speak words, d *digest) (string, error) {
	kept := countOf(d.besides, schema.OutcomeDisallowed)
	switch {
	case d.scan.Robots.ReadAt.IsZero():
		return "", nil
	case d.scan.State == schema.ScanRefused:
		return speak.t("footprint.robots")
	case kept == 0:
		return speak.t("footprint.robots.none")
	}
	return speak.n("footprint.robots.kept", kept)
}

// stateReason puts a scan's reason in words: one of its own, or a page's.
func stateReason(speak words, reason string) string {
	if m, ok := speak.messages["state_reason."+reason]; ok {
		return m
	}
	return speak.closed("reason", reason)
}
