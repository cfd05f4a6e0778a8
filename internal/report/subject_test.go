package report

import (
	"testing"

	"visite/schema"
)

// The same third party on pages of several templates is one item, named in its title.
func TestAThirdPartyIsOneItemOverAllPages(t *testing.T) {
	speak, err := wordsOf(English)
	if err != nil {
		t.Fatal(err)
	}
	var fold schema.ItemFold
	for i, url := range []string{"https://a.test/", "https://a.test/blog/one", "https://a.test/shop/x"} {
		for _, party := range []string{"google-analytics.com (Google Analytics)", "hotjar.com (Hotjar)"} {
			fold.Add(schema.PageRef{ID: int64(i + 1), URL: url}, schema.PathShape(url), schema.Finding{Rule: "tracker-before-consent", Category: schema.CategoryPrivacy, Severity: schema.SeveritySerious,
				Outcome: schema.FindingFailed, Title: "Trackers are contacted before anybody agreed", Detail: party})
		}
	}
	titles := map[string]int{}
	for _, item := range orderedItems(fold, nil, speak) {
		titles[item.Title] = item.Pages
	}
	if len(titles) != 2 || titles["Trackers are contacted before anybody agreed: hotjar.com (Hotjar)"] != 3 || titles["Trackers are contacted before anybody agreed: google-analytics.com (Google Analytics)"] != 3 {
		t.Errorf("%v", titles)
	}
}
