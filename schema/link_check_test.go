package schema

import "testing"

// proves R-15
func TestLinkServerFoldsNames(t *testing.T) {
	for host, want := range map[string]string{
		"Example.com": "example.com", "www.example.com": "example.com", "www.example.com:8443": "example.com", "WWW.Example.COM:80": "example.com",
		"shop.example.com": "shop.example.com", "www.shop.example.com": "shop.example.com", "www.com": "www.com", "127.0.0.1:8080": "127.0.0.1", "[::1]:8080": "::1", "[::1]": "::1",
		"www2.example.com": "www2.example.com",
	} {
		if got := LinkServer(host); got != want {
			t.Errorf("%s counts for %s, want %s", host, got, want)
		}
	}
}

func TestAddressesNotKeptWholeAreNotChecked(t *testing.T) {
	for address, want := range map[string]bool{
		"https://other.test/a": true, "http://other.test:8080/": true, "https://other.test/?text=*": false, "https://other.test/?x": false, "https://other.test/*/a": false,
		"https://other.test/u/ada@example.org": false, "mailto:ada@example.org": false,
	} {
		if got := IsLinkCheckable(address); got != want {
			t.Errorf("%s: %v, want %v", address, got, want)
		}
	}
}
