package api_test

import (
	"fmt"
	"strings"
	"testing"

	"visite/api"
	"visite/internal/report"
	"visite/schema"
)

func TestItems(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	scan := e.scan(token, "http://localhost:4000/")
	for i := range 5 {
		change := report.ChangeNew
		if i == 4 {
			change = report.ChangeGone
		}
		e.reports.items = append(e.reports.items, report.ComparedItem{Item: report.Item{ID: fmt.Sprintf("%016x", i), Rule: "image-alt", Severity: schema.SeverityCritical, Outcome: schema.FindingFailed, Category: schema.CategoryAccessibility, Examples: []string{"http://localhost:4000/"}}, Change: change})
	}
	path := "/v1/scans/" + scan.ID + "/items"
	type stretch = api.List[api.Item]
	var list stretch
	first := e.call("GET", path+"?limit=3", token, nil, "Accept-Language", "de").want(200, &list)
	if len(list.Items) != 3 || list.Next == "" || !strings.Contains(first.header.Get("Link"), list.Next) || e.reports.asked != scan.ID+"  de" {
		t.Errorf("%s, asked %q", first.body, e.reports.asked)
	}
	cursor := list.Next
	list = stretch{}
	e.call("GET", path+"?limit=3&cursor="+cursor, token, nil).want(200, &list)
	if len(list.Items) != 2 || list.Next != "" || list.Items[1].Change != report.ChangeGone {
		t.Errorf("%+v", list)
	}
	list = stretch{}
	e.call("GET", path+"?change=gone", token, nil).want(200, &list)
	if len(list.Items) != 1 {
		t.Errorf("%+v", list)
	}
	other := e.scan(token, "http://localhost:4001/")
	for _, before := range []string{scan.ID, other.ID} {
		e.call("GET", path+"?compare_to="+before, token, nil).problem(422, "not-comparable")
	}
	e.call("GET", path+"?compare_to=01M8R8DG46E8KKCV88EZGA2BZ5", token, nil).problem(404, "not-found")
	e.call("GET", path, e.workspace("stranger"), nil).problem(404, "not-found")
}
