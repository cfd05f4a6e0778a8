package seo

import (
	"slices"
	"strings"
)

// needs are the properties that Google's documentation calls required for a rich
// result of a type; alternatives are parted by "|". Types whose properties are all
// recommended (Article, Organization) are not in the table. Only what a page
// describes by itself is looked at, not what stands inside something else.
var needs = map[string][]string{
	"Product":                {"name", "offers|review|aggregateRating"},
	"BreadcrumbList":         {"itemListElement"},
	"FAQPage":                {"mainEntity"},
	"QAPage":                 {"mainEntity"},
	"ProfilePage":            {"mainEntity"},
	"Event":                  {"name", "startDate", "location"},
	"Recipe":                 {"name", "image"},
	"LocalBusiness":          {"name", "address"},
	"VideoObject":            {"name", "thumbnailUrl|thumbnail", "uploadDate"},
	"JobPosting":             {"title", "description", "datePosted", "hiringOrganization", "jobLocation|jobLocationType"},
	"Review":                 {"author", "itemReviewed", "reviewRating"},
	"AggregateRating":        {"itemReviewed", "ratingValue", "ratingCount|reviewCount"},
	"Course":                 {"name", "description"},
	"Dataset":                {"name", "description"},
	"SoftwareApplication":    {"name", "offers", "aggregateRating|review"},
	"DiscussionForumPosting": {"author", "datePublished", "text|image|video|sharedContent"},
	"ClaimReview":            {"claimReviewed", "reviewRating", "url"},
}

// sameNeeds are types that the documentation treats like another one.
var sameNeeds = map[string]string{
	"MusicEvent": "Event", "SportsEvent": "Event", "TheaterEvent": "Event", "BusinessEvent": "Event", "EducationEvent": "Event", "Festival": "Event",
	"Restaurant": "LocalBusiness", "Store": "LocalBusiness", "Hotel": "LocalBusiness", "Dentist": "LocalBusiness", "Bakery": "LocalBusiness",
	"CafeOrCoffeeShop": "LocalBusiness", "HairSalon": "LocalBusiness", "MedicalClinic": "LocalBusiness",
	"MobileApplication": "SoftwareApplication", "WebApplication": "SoftwareApplication",
}

// lacking lists what a thing of a type needs and does not have, and what its parts
// lack in the types whose parts matter.
func lacking(kind string, t thing) []string {
	if same := sameNeeds[kind]; same != "" {
		kind = same
	}
	var out []string
	for _, need := range needs[kind] {
		if !hasOne(t, need) {
			out = append(out, strings.ReplaceAll(need, "|", " or "))
		}
	}
	switch kind {
	case "BreadcrumbList":
		for _, item := range partsOf(t["itemListElement"]) {
			if !hasOne(item, "position") || !hasOne(item, "name") && !slices.ContainsFunc(partsOf(item["item"]), named) {
				return append(out, "position and name of each element")
			}
		}
	case "FAQPage":
		for _, question := range partsOf(t["mainEntity"]) {
			if onlyNamed(question) {
				continue
			}
			if !hasOne(question, "name") || !hasOne(question, "acceptedAnswer") {
				return append(out, "name and acceptedAnswer of each question")
			}
		}
	}
	return out
}

func named(t thing) bool { return hasOne(t, "name") }

func hasOne(t thing, need string) bool {
	for name := range strings.SplitSeq(need, "|") {
		switch v := t[name].(type) {
		case nil:
		case string:
			if strings.TrimSpace(v) != "" {
				return true
			}
		case []any:
			if len(v) > 0 {
				return true
			}
		default:
			return true
		}
	}
	return false
}

func partsOf(v any) []thing {
	var out []thing
	switch v := v.(type) {
	case thing:
		out = append(out, v)
	case []any:
		for _, one := range v {
			if t, ok := one.(thing); ok {
				out = append(out, t)
			}
		}
	}
	return out
}

// onlyNamed reports whether something stands elsewhere and is only referred to.
func onlyNamed(t thing) bool { return len(t) == 1 && t["@id"] != nil }
