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

// ruleTitles are the names of rules by language and id: ours, and the engine's.
var ruleTitles = sync.OnceValue(func() map[Lang]map[string]string {
	out := map[Lang]map[string]string{}
	for _, lang := range []Lang{German, Spanish} {
		titles := map[string]string{}
		if b, err := engineWords.ReadFile("rules/axe." + string(lang) + ".json"); err == nil {
			err = json.Unmarshal(b, &titles)
			if err != nil {
				panic(err) // built into the program; a test reads it
			}
		}
		b, err := messageFiles.ReadFile("messages/rules." + string(lang) + ".json")
		ours := map[string]string{}
		if err == nil {
			err = json.Unmarshal(b, &ours)
		}
		if err != nil {
			panic(err) // built into the program; a test reads it
		}
		for id, title := range ours {
			titles[id] = title
		}
		out[lang] = titles
	}
	return out
})

// spoken is text with the language it really is in.
type spoken struct {
	Text string
	Lang Lang
}

// rule is a finding's name and remedy, in the language where somebody said them
// in it and in English where not. Records from before there were names have a
// remedy only. The engine's rules have one text for both.
func (w words) rule(f schema.Finding) (title, help spoken) {
	title, help = spoken{cmp.Or(f.Title, f.Help), English}, spoken{f.Help, English}
	if said := ruleTitles()[w.lang][f.Rule]; said != "" {
		same := help.Text == title.Text
		title = spoken{said, w.lang}
		if same {
			help = title
		}
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
