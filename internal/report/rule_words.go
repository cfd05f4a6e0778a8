package report

import (
	"cmp"
	"embed"
	"encoding/json"
	"sync"

	"visite/schema"
)

// The accessibility engine's own words in other languages come from its npm
// package when the page scripts are bundled; a build without them speaks English.
//
//go:embed all:rules
var engineWords embed.FS

// RuleText is what is said of a rule in one language.
type RuleText struct {
	Title string `json:"title"` // what is wrong
	Help  string `json:"help"`  // how to mend it
	Why   string `json:"why"`   // why it matters
}

// ruleTexts are the texts of rules by language and id. In English title and help
// stand in the rule itself, and of the engine's rules there is a title alone.
var ruleTexts = sync.OnceValue(func() map[Lang]map[string]RuleText {
	out := map[Lang]map[string]RuleText{}
	for _, lang := range []Lang{English, German, Spanish} {
		b, err := messageFiles.ReadFile("messages/rules." + string(lang) + ".json")
		texts := map[string]RuleText{}
		if err == nil {
			err = json.Unmarshal(b, &texts)
		}
		if err != nil {
			panic(err) // built into the program; a test reads it
		}
		out[lang] = texts
	}
	return out
})

// engineTitles are the names of the engine's rules by language and id.
var engineTitles = sync.OnceValue(func() map[Lang]map[string]string {
	out := map[Lang]map[string]string{}
	for _, lang := range []Lang{German, Spanish} {
		titles := map[string]string{}
		if b, err := engineWords.ReadFile("rules/axe." + string(lang) + ".json"); err == nil {
			if err = json.Unmarshal(b, &titles); err != nil {
				panic(err) // built into the program; a test reads it
			}
		}
		out[lang] = titles
	}
	return out
})

// TextOf is what is said of a rule in a language; empty where nobody said it.
func TextOf(lang Lang, rule string) RuleText { return ruleTexts()[lang][rule] }

// ownEngine is the name that findings of our own rules carry.
const ownEngine = "visite"

// isOurs reports whether a rule is one of our own, which all have a page that
// explains them.
func isOurs(rule string) bool { return TextOf(English, rule).Why != "" }

// spoken is text with the language it really is in.
type spoken struct {
	Text string
	Lang Lang
}

// rule is a finding's name and remedy, in the language where somebody said them
// in it and in English where not. Records from before there were names have a
// remedy only. The engine's rules have one text for both; some share their ids
// with ours.
func (w words) rule(f schema.Finding) (title, help spoken) {
	title, help = spoken{cmp.Or(f.Title, f.Help), English}, spoken{f.Help, English}
	said, engine := TextOf(w.lang, f.Rule), engineTitles()[w.lang][f.Rule]
	if help.Text == title.Text && f.Engine != ownEngine {
		if name := cmp.Or(engine, said.Title); name != "" {
			title = spoken{name, w.lang}
		}
		return title, title
	}
	if name := cmp.Or(said.Title, engine); name != "" {
		title = spoken{name, w.lang}
	}
	if said.Help != "" {
		help = spoken{said.Help, w.lang}
	}
	return title, help
}

// inWords is a finding with its texts as rule says them.
func (w words) inWords(f schema.Finding) schema.Finding {
	if w.lang == English {
		return f
	}
	title, help := w.rule(f)
	f.Title, f.Help = title.Text, help.Text
	return f
}

// rulePage is where a rule is explained; empty where the deployment has no
// address of its own or the rule is not ours.
func (w words) rulePage(rule string) string {
	if w.rulePages == "" || !isOurs(rule) {
		return ""
	}
	return w.rulePages + "/" + rule + "?lang=" + string(w.lang)
}
