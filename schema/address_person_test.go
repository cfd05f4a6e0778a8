package schema_test

import (
	"testing"

	"visite/schema"
)

// proves S-24
func TestAddressesThatNamePeopleAreMaskedAndNeverVisited(t *testing.T) {
	for _, c := range []struct {
		address, recorded string
		carries           bool
	}{
		{"https://shop.example/x?email=jane@mail.example", "https://shop.example/x?email=*", true},
		{"https://shop.example/x?q=jane%40mail.example", "https://shop.example/x?q=*", true},
		{"https://shop.example/y?jane@mail.example", "https://shop.example/y?*", true},
		{"https://shop.example/z?phone=%2B491701234567&page=2", "https://shop.example/z?phone=*&page=2", true},
		{"https://shop.example/u/jane@mail.example/profile", "https://shop.example/u/*/profile", true},
		{"https://shop.example/u/jane%40mail.example", "https://shop.example/u/*", true},
		{"https://shop.example/login?back=https%3A%2F%2Fshop.example%2F%3Ftoken%3Dabc", "https://shop.example/login?back=*", true},
		{"https://shop.example/@jane", "https://shop.example/@jane", false},
		{"https://shop.example/package/react@18.2.0", "https://shop.example/package/react@18.2.0", false},
		{"https://shop.example/back?to=%2Fnews%3Fpage%3D2", "https://shop.example/back?to=%2Fnews%3Fpage%3D2", false},
		{"https://shop.example/?page=2&name=oak", "https://shop.example/?page=2&name=oak", false},
	} {
		if got := schema.CarriesSecret(c.address); got != c.carries {
			t.Errorf("CarriesSecret(%s) = %v", c.address, got)
		}
		if got := schema.RecordedAddress(c.address, "shop.example"); got != c.recorded {
			t.Errorf("RecordedAddress(%s) = %s, want %s", c.address, got, c.recorded)
		}
		if c.carries && !schema.CarriesSecret(schema.KeyOf(c.address)) {
			t.Errorf("the key of %s, %s, could be visited", c.address, schema.KeyOf(c.address))
		}
	}
}
