package language

import "unicode"

// script is a group of letters that tells languages apart.
type script int

const (
	latin script = iota
	cyrillic
	greek
	arabic
	hebrew
	eastAsian
	hangul
	thai
	devanagari
	otherScript
	mixedScript // written in several, so that nothing follows
)

// scripts are those of languages that are not written in Latin letters alone.
var scripts = map[string]script{
	"ru": cyrillic, "uk": cyrillic, "be": cyrillic, "bg": cyrillic, "mk": cyrillic, "el": greek, "ar": arabic, "fa": arabic, "ur": arabic, "ps": arabic,
	"he": hebrew, "yi": hebrew, "ja": eastAsian, "zh": eastAsian, "yue": eastAsian, "ko": hangul, "th": thai, "hi": devanagari, "mr": devanagari, "ne": devanagari,
	"sr": mixedScript, "bs": mixedScript, "sh": mixedScript, "kk": mixedScript, "uz": mixedScript, "az": mixedScript, "mn": mixedScript, "ku": mixedScript, "mul": mixedScript,
	"und": mixedScript, "zxx": mixedScript, "art": mixedScript, "mis": mixedScript,
}

var tables = []struct {
	table *unicode.RangeTable
	is    script
}{
	{unicode.Latin, latin}, {unicode.Cyrillic, cyrillic}, {unicode.Greek, greek}, {unicode.Arabic, arabic}, {unicode.Hebrew, hebrew}, {unicode.Han, eastAsian},
	{unicode.Hiragana, eastAsian}, {unicode.Katakana, eastAsian}, {unicode.Hangul, hangul}, {unicode.Thai, thai}, {unicode.Devanagari, devanagari},
}

func scriptOf(c rune) script {
	if c < 0x250 {
		return latin
	}
	for _, t := range tables {
		if unicode.Is(t.table, c) {
			return t.is
		}
	}
	return otherScript
}
