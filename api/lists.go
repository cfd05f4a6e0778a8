package api

import (
	"context"
	"encoding/base64"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"visite/schema"
)

// ListInput are the parameters every list takes.
type ListInput struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"Most items in one answer."`
	Cursor string `query:"cursor" maxLength:"200" doc:"Where to go on: next of the answer before, or the address in its Link header."`
}

// List is one stretch of a list.
type List[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty" doc:"Cursor of the next stretch; missing at the end."`
}

// listOutput answers a list; the same next address stands in Link (RFC 8288).
type listOutput[T any] struct {
	Link string `header:"Link" doc:"The next stretch, rel=\"next\"; missing at the end."`
	Body List[T]
}

// keyShape is what a list's cursor may hold.
type keyShape *regexp.Regexp

var (
	idKeys     keyShape = regexp.MustCompile(`^[0-9A-Za-z_-]{1,64}$`)
	numberKeys keyShape = regexp.MustCompile(`^[0-9]{1,18}$`)
)

// rangeOf reads a list's cursor. One item more than asked for is read, to know
// whether there is a next stretch.
func (in ListInput) rangeOf(keys keyShape) (schema.Range, error) {
	r := schema.Range{Limit: in.Limit + 1}
	if in.Cursor == "" {
		return r, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(in.Cursor)
	key, ours := strings.CutPrefix(string(raw), cursorPrefix)
	if err != nil || !ours || !(*regexp.Regexp)(keys).MatchString(key) {
		return r, refuse(schema.RefusalInvalid, codeCursorInvalid, "?cursor")
	}
	r.After = key
	return r, nil
}

// stretchOf finds the scan whose list is asked for, and which part of the list.
func (a *API) stretchOf(ctx context.Context, of ScanRef, in ListInput) (schema.Scan, schema.Range, error) {
	r, err := in.rangeOf(numberKeys)
	if err != nil {
		return schema.Scan{}, r, err
	}
	scan, err := a.scanOf(ctx, of.ID)
	return scan, r, err
}

// cursorPrefix leaves room for another form of cursor later.
const cursorPrefix = "1:"

// listOf answers with what was read: at most in.Limit of items, each shown as T.
// path and filter (empty values dropped) make the next address.
func listOf[S, T any](in ListInput, path string, filter map[string]string, items []S, key func(S) string, show func(S) T) *listOutput[T] {
	out := &listOutput[T]{Body: List[T]{Items: make([]T, 0, len(items))}}
	more := len(items) > in.Limit
	if more {
		items = items[:in.Limit]
	}
	for _, item := range items {
		out.Body.Items = append(out.Body.Items, show(item))
	}
	if more {
		out.Body.Next = base64.RawURLEncoding.EncodeToString([]byte(cursorPrefix + key(items[len(items)-1])))
		query := url.Values{"limit": {strconv.Itoa(in.Limit)}, "cursor": {out.Body.Next}}
		for name, value := range filter {
			if value != "" {
				query.Set(name, value)
			}
		}
		out.Link = "<" + path + "?" + query.Encode() + `>; rel="next"`
	}
	return out
}

func numberKey(id int64) string { return strconv.FormatInt(id, 10) }

// knownShape refuses an id that none of ours can look like as one that does not
// exist, before anything is asked of the database.
func knownShape(id string) error {
	if !(*regexp.Regexp)(idKeys).MatchString(id) {
		return notFound()
	}
	return nil
}

func notFound() *schema.Refusal { return refuse(schema.RefusalNotFound, codeNotFound, "") }
