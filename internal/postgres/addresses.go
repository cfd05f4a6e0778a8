package postgres

import (
	"crypto/sha256"
	"hash/fnv"
	"net/url"
	"slices"
	"strings"

	"visite/schema"
)

// addressesInsert adds the addresses a scan has not met. Those it knows are
// left alone without an attempt to insert, which would burn ids; the order keeps
// two pages that add the same ones from waiting for each other. Each address is
// looked up in a subquery of its own, here and below: in a join the planner,
// which knows nothing of a scan just begun, reads all the scan's addresses.
//
// Here and in the other statements of a page the scan comes as its number ($1)
// or, where that is null, as an address of its frontier ($2), which saves asking for it.
const addressesInsert = `WITH me AS (` + scanOrClaim + `)
INSERT INTO addresses (scan, key_hash, url, in_scope)
SELECT (SELECT seq FROM me), k.hash, k.url, k.in_scope FROM unnest($3::bytea[], $4::text[], $5::boolean[]) AS k (hash, url, in_scope)
WHERE (SELECT a.id FROM addresses a WHERE a.scan = (SELECT seq FROM me) AND a.key_hash = k.hash) IS NULL
ORDER BY k.hash
ON CONFLICT (scan, key_hash) DO NOTHING`

const scanOrClaim = `SELECT coalesce($1::integer, (SELECT f.scan FROM frontier f WHERE f.address_id = $2::bigint)) AS seq`

// addressHash is the first 16 bytes of SHA-256 over an address's comparison key
// (schema.AddressKey); what cannot be parsed is compared as it stands.
func addressHash(address string) addressKey {
	key := address
	if u, err := url.Parse(address); err == nil {
		key = schema.AddressKey(u)
	}
	sum := sha256.Sum256([]byte(key))
	return addressKey(sum[:16])
}

// addressSet gathers distinct addresses.
type addressSet struct {
	places  map[addressKey]int // in the slices below
	hashed  map[string]addressKey
	keys    []addressKey
	urls    []string
	inScope []bool
}

func newAddressSet(size int) *addressSet {
	return &addressSet{
		places: make(map[addressKey]int, size), hashed: make(map[string]addressKey, size),
		keys: make([]addressKey, 0, size), urls: make([]string, 0, size), inScope: make([]bool, 0, size),
	}
}

// add gives the address's hash.
func (s *addressSet) add(address string, inScope bool) addressKey {
	h, again := s.hashed[address]
	if again {
		return h
	}
	h = addressHash(address)
	s.hashed[address] = h
	if _, there := s.places[h]; !there {
		s.places[h] = len(s.keys)
		s.keys = append(s.keys, h)
		s.urls = append(s.urls, text(address))
		s.inScope = append(s.inScope, inScope)
	}
	return h
}

// unknown is addressesInsert's columns of those addresses that nothing is known of.
func (s *addressSet) unknown(known []knownAddress) (hashes [][]byte, urls []string, inScope []bool) {
	for i, k := range known {
		if k.id == 0 {
			hashes = append(hashes, s.keys[i][:])
			urls = append(urls, s.urls[i])
			inScope = append(inScope, s.inScope[i])
		}
	}
	return hashes, urls, inScope
}

// shape is what an address has in common with its endless relatives.
type shape struct{ path, form *int64 }

// shapeOf is of the path alone, and of the path with its numbers folded and the
// query's names sorted. Only a query makes endless relatives here: addresses
// without one have no shape.
func shapeOf(address string) shape {
	before, query, has := strings.Cut(address, "?")
	if !has || query == "" {
		return shape{}
	}
	var names []string
	for part := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(part, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	path, form := hash64(before), hash64(foldNumbers(before)+"?"+strings.Join(slices.Compact(names), "&"))
	return shape{&path, &form}
}

// templateOf names the template an address belongs to as far as the address tells.
func templateOf(address string) int64 { return hash64(schema.PathShape(address)) }

func hash64(s string) int64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return int64(h.Sum64())
}

// foldNumbers writes each run of digits as one 0.
func foldNumbers(s string) string {
	var b strings.Builder
	inRun := false
	for i := 0; i < len(s); i++ {
		digit := s[i] >= '0' && s[i] <= '9'
		if digit && !inRun {
			b.WriteByte('0')
		}
		if !digit {
			b.WriteByte(s[i])
		}
		inRun = digit
	}
	return b.String()
}
