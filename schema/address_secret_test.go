package schema

import (
	"strings"
	"testing"
)

const (
	md5Hex  = "5d41402abc4b2a76b9719d911017c592"
	webKey  = "qF3v_9hLk2-Zt7Xw1Rm0pD8sYb5NcA6eGuJ4iO"
	sampleJ = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJub2JvZHkifQ."
)

// proves S-24, R-23
func TestAddressKeyMasksSecrets(t *testing.T) {
	for _, c := range []struct{ name, query, want string }{
		{"by its name", "token=abc", "token=*"},
		{"by its name, in capitals", "Access_Token=abc&p=2", "Access_Token=*&p=2"},
		{"in brackets", "user[password]=abc", "user[password]=*"},
		{"in escaped brackets", "user%5Bpassword%5D=abc", "user%5Bpassword%5D=*"},
		{"by the name's end", "invite_token=a&x-amz-signature=b&X-Amz-Credential=c", "invite_token=*&x-amz-signature=*&X-Amz-Credential=*"},
		{"between others", "a=1&sig=Zz&b=2", "a=1&sig=*&b=2"},
		{"with padding", "token=YWJj==", "token=*"},
		{"a key that looks it", "key=a1b2c3d4e5f6a7b8", "key=*"},
		{"a code that looks it", "code=4%2F0Ab32j1C9d8E7f6G5", "code=*"},
		{"hexadecimal under any name", "x=" + md5Hex, "x=*"},
		{"base64url under any name", "data=" + webKey, "data=*"},
		{"JSON Web Token under any name", "q=" + sampleJ, "q=*"},
		{"beside a session", "PHPSESSID=1&otp=123456", "otp=*"},

		{"a key that names a thing", "key=size", "key=size"},
		{"a country's code", "code=de", "code=de"},
		{"an article's code", "code=WH-1000XM5-black-2022", "code=WH-1000XM5-black-2022"},
		{"search", "q=how+to+build+10+houses+in+the+forest+of+2024", "q=how+to+build+10+houses+in+the+forest+of+2024"},
		{"a slug", "s=iphone-15-pro-max-256-gb-case-for-2024-models", "s=iphone-15-pro-max-256-gb-case-for-2024-models"},
		{"sort and page", "sort=price_asc&page=2&per_page=50", "sort=price_asc&page=2&per_page=50"},
		{"paging by token", "page_token=" + webKey + "&cursor=" + md5Hex, "page_token=" + webKey + "&cursor=" + md5Hex},
		{"a UUID", "id=550e8400-e29b-41d4-a716-446655440000", "id=550e8400-e29b-41d4-a716-446655440000"},
		{"a long number", "id=12345678901234567890123456789012345", "id=12345678901234567890123456789012345"},
		{"a name without a value", "token", "token"},
		{"an empty value", "token=&a=1", "token=&a=1"},
		{"a token in a name only", "tokens=3", "tokens=3"},
	} {
		address, want := "https://e.example/p?"+c.query, "https://e.example/p?"+c.want
		got := KeyOf(address)
		if got != want {
			t.Errorf("%s: %s, want %s", c.name, got, want)
		}
		if again := KeyOf(got); again != got {
			t.Errorf("%s: the key of %s is %s", c.name, got, again)
		}
		masks := strings.Contains(c.want, "*")
		if CarriesSecret(address) != masks || CarriesSecret(got) != masks {
			t.Errorf("%s: carries a secret %v, masked %v; want %v", c.name, CarriesSecret(address), CarriesSecret(got), masks)
		}
	}
	if CarriesSecret("https://e.example/token=abc") || CarriesSecret("https://e.example/") {
		t.Error("a secret where there is no query")
	}
}

// proves S-24, R-23
func TestRecordedAddress(t *testing.T) {
	for _, c := range []struct{ name, address, want string }{
		{"plain", "https://e.example/a?b=1", "https://e.example/a?b=1"},
		{"credentials and fragment", "https://me:pass@e.example/a#words", "https://e.example/a"},
		{"secret", "https://e.example/a?b=1&token=x", "https://e.example/a?b=1&token=*"},
		{"sessions", "https://e.example/a;jsessionid=7?PHPSESSID=x&sid=9f8a7b6c5d4e3f2a1b0c", "https://e.example/a?PHPSESSID=*&sid=*"},
		{"http of the same host", "http://e.example/a?token=x", "http://e.example/a?token=*"},
		{"elsewhere", "https://share.example/tweet?text=Words+of+a+page&url=x", "https://share.example/tweet?text=*&url=*"},
		{"elsewhere with credentials", "https://me:pass@share.example/?words+of+a+page#more", "https://share.example/?*"},
		{"another port", "https://e.example:8443/?a=words", "https://e.example:8443/?a=*"},
		{"no address", "mailto:x@e.example?body=words", "mailto:x@e.example?body=*"},
	} {
		if got := RecordedAddress(c.address, "e.example"); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
