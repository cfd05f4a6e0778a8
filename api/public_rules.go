package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"visite/internal/inspect"
	"visite/internal/report"
	"visite/schema"
)

// RulesPath is below which each rule has a page that explains it.
const RulesPath = "/rules"

// RulePages is where reports say that rules are explained: nowhere (empty), unless
// the deployment has an address that others than this machine can reach.
func RulePages(publicURL string) string {
	u, err := url.Parse(publicURL)
	if err != nil || u.Host == "" || isLoopback(u) {
		return ""
	}
	return publicURL + RulesPath
}

// ruleView is one rule in one language, made from the list the scans run on.
type ruleView struct {
	inspect.RuleInfo
	report.RuleText
	Path string
}

// ruleViewOf says of a rule what there is to say in a language. In English its
// name and remedy stand in the rule itself.
func ruleViewOf(info inspect.RuleInfo, p publicPage) ruleView {
	v := ruleView{RuleInfo: info, RuleText: report.TextOf(report.Lang(p.Lang), info.ID), Path: RulesPath + "/" + info.ID + p.LangQuery}
	v.RuleText.Title, v.RuleText.Help = firstOf(v.RuleText.Title, info.Title), firstOf(v.RuleText.Help, info.Help)
	return v
}

// Name is what is wrong.
func (v ruleView) Name() string { return v.RuleText.Title }

// Remedy is how to mend it.
func (v ruleView) Remedy() string { return v.RuleText.Help }

// Authority is the key of who says that it is a fault.
func (v ruleView) Authority() string {
	return "rule.source." + strings.ReplaceAll(string(v.Source), " ", "_")
}

// rulesView is the page of all rules, and that of one.
type rulesView struct {
	publicPage
	Groups []ruleGroup
	Rule   ruleView
	Count  int
	Index  string
}

type ruleGroup struct {
	Category schema.Category
	Rules    []ruleView
}

// Category names a topic.
func (v rulesView) Category(c schema.Category) string {
	return report.Closed(report.Lang(v.Lang), "category", string(c))
}

// Severity names how grave a rule is by itself; a finding may say otherwise.
func (v rulesView) Severity(s schema.Severity) string {
	return report.Closed(report.Lang(v.Lang), "severity", string(s))
}

// serveRules serves the pages that explain our own rules, to everybody.
func (a *API) serveRules() {
	a.router.Get(RulesPath, a.limited(ratePages, a.showRules))
	a.router.Get(RulesPath+"/{id}", a.limited(ratePages, a.showRule))
}

func (a *API) showRules(w http.ResponseWriter, r *http.Request) {
	v := rulesView{publicPage: a.publicPage(r, RulesPath)}
	v.Title = v.T("rules.title")
	for _, info := range inspect.Rules() {
		i := slices.IndexFunc(v.Groups, func(g ruleGroup) bool { return g.Category == info.Category })
		if i < 0 {
			i, v.Groups = len(v.Groups), append(v.Groups, ruleGroup{Category: info.Category})
		}
		v.Groups[i].Rules = append(v.Groups[i].Rules, ruleViewOf(info, v.publicPage))
		v.Count++
	}
	w.Header().Set("Cache-Control", "public, max-age=300")
	a.render(w, r, http.StatusOK, "rules.html.tmpl", v.Lang, v)
}

func (a *API) showRule(w http.ResponseWriter, r *http.Request) {
	for _, info := range inspect.Rules() {
		if info.ID != r.PathValue("id") {
			continue
		}
		v := rulesView{publicPage: a.publicPage(r, RulesPath+"/"+info.ID)}
		v.Index = RulesPath + v.LangQuery
		v.Rule = ruleViewOf(info, v.publicPage)
		v.Title = v.Rule.Name()
		w.Header().Set("Cache-Control", "public, max-age=300")
		a.render(w, r, http.StatusOK, "rule.html.tmpl", v.Lang, v)
		return
	}
	a.notFound(w, r)
}
