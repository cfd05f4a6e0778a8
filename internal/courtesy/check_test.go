package courtesy

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"testing"
)

// namesGiven resolves the names of a test and no others.
type namesGiven map[string][]string

func (n namesGiven) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	texts, ok := n[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	var addrs []netip.Addr
	for _, text := range texts {
		addrs = append(addrs, netip.MustParseAddr(text))
	}
	return addrs, nil
}

// noStore is a memory that no check may touch.
type noStore struct{ Store }

func TestCheckTellsWhereAnOrderLeads(t *testing.T) {
	door, err := New(Options{Store: noStore{}, Resolver: namesGiven{
		"public.test": {"93.184.216.34"}, "home.test": {"127.0.0.1", "::1"}, "inside.test": {"10.1.2.3"}, "both.test": {"127.0.0.1", "93.184.216.34"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer door.Close()
	for address, want := range map[string]struct {
		loopback bool
		code     string
	}{
		"https://public.test/":      {false, ""},
		"https://public.test:8443/": {false, ""},
		"https://public.test:22/":   {false, "port-not-web"},
		"http://home.test:3000/":    {true, ""},
		"http://127.0.0.1:3000/":    {true, ""},
		"http://[::1]/":             {true, ""},
		"http://both.test/":         {false, ""},
		"http://inside.test/":       {false, "guarded-address"},
		"http://169.254.169.254/":   {false, "guarded-address"},
		"http://[::ffff:7f00:1]/":   {false, "guarded-address"},
		"http://2130706433/":        {false, "guarded-address"},
		"https://nobody.test/":      {false, "name-not-found"},
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		loopback, refusal := door.Check(context.Background(), u)
		code := ""
		if refusal != nil {
			code = refusal.Code
			if refusal.Field != "/url" || refusal.Remedy == "" {
				t.Errorf("%s: refusal %+v names no field or remedy", address, refusal)
			}
		}
		if loopback != want.loopback || code != want.code {
			t.Errorf("%s: loopback %v, code %q; want %v, %q", address, loopback, code, want.loopback, want.code)
		}
	}
}
