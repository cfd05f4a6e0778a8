package courtesy

import (
	"net/netip"
	"strings"
	"testing"
)

func TestWhoHoldsAConnection(t *testing.T) {
	const (
		head  = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
		far   = "   1: 0100007F:C001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 353080 2 0000000028da22c8 100 0 0 10 0\n"
		near  = "   2: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 353081 2 0000000028da22c9 100 0 0 10 0\n"
		other = "   3: 0100007F:C002 0100007F:1F90 01 00000000:00000000 00:00000000 00000000    33        0 353082 2 0000000028da22ca 100 0 0 10 0\n"
	)
	from, to := netip.MustParseAddrPort("127.0.0.1:49153"), netip.MustParseAddrPort("127.0.0.1:8080")
	for name, c := range map[string]struct {
		table string
		uid   string
		told  bool
	}{
		"both ends":     {head + other + near + far, "1000", true},
		"the far end":   {head + far, "1000", true},
		"gone already":  {head + other + near, "", true},
		"not kept here": {head + other, "", false},
		"empty":         {"", "", false},
		"nonsense":      {"x\n\n" + head, "", false},
	} {
		if uid, told := userOf(strings.NewReader(c.table), from, to); uid != c.uid || told != c.told {
			t.Errorf("%s: %q %v, want %q %v", name, uid, told, c.uid, c.told)
		}
	}
}
