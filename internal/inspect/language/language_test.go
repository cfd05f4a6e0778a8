package language

import "testing"

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		tag, text string
		want      Verdict
		found     string
	}{
		{"en", "We sell bread that was baked in the morning, and you can pick it up at our shop.", Same, ""},
		{"de", "We sell bread that was baked in the morning, and you can pick it up at our shop.", Other, "en"},
		{"de-AT", "Wir verkaufen Brot, das am Morgen gebacken wurde, und Sie können es bei uns abholen.", Same, ""},
		{"en-GB", "Wir verkaufen Brot, das am Morgen gebacken wurde, und Sie können es bei uns abholen.", Other, "de"},
		{"fr", "Vendemos pan que se hace por la mañana y lo puede recoger en la tienda con su pedido.", Other, "es"},
		{"nl", "Nous vendons du pain qui est fait le matin, et vous pouvez le chercher dans notre boutique.", Other, "fr"},
		{"gl", "Vendemos pan que se hace por la mañana y lo puede recoger en la tienda con su pedido.", Unsure, ""}, // kin, and no list: not told apart
		{"nn", "Vi sælger brød, der er bagt om morgenen, og du kan hente det i butikken.", Same, ""},
		{"en", "Kyoto, Osaka, Nagoya, Sapporo, Fukuoka, Yokohama", Unsure, ""},
		{"en", "Brot und Butter", Unsure, ""},
		{"en", "Мы продаём хлеб, испечённый утром", Other, ""},
		{"ru", "Мы продаём хлеб, испечённый утром", Unsure, ""},
		{"ru", "We sell bread that was baked in the morning, and you can pick it up at our shop.", Other, "en"},
		{"ru-Latn", "My prodayom khleb and the rest of it is in the shop that was there", Unsure, ""},
		{"cy", "We sell bread.", Unsure, ""},
		{"cy", "We sell bread that was baked in the morning, and you can pick it up at our shop.", Unsure, ""}, // no list
		{"sl", "Na tej strani je vse, kar se je v mestu zgodilo, in to je za nas po dolgem času le do srede, a ne od petka; da se to zve, je na voljo do konca tedna in na koncu še po pošti.", Unsure, ""},
		{"et", "See on kõik, mis on meil ja teil, ja me ei ole veel valmis; te olete siin, kui on aeg, ja se on hea, et me ei maga, ja on soe, ja me oleme siin.", Unsure, ""},
		{"eo", "La domo de la patro en la urbo estas granda, kaj la infanoj en la domo ne dormas; la pano de la bakisto en la vilaĝo, kaj la vino de la frato en la kelo.", Unsure, ""},
		{"zxx", "We sell bread that was baked in the morning, and you can pick it up at our shop.", Unsure, ""},
		{"", "We sell bread that was baked in the morning.", Unsure, ""},
		// A page in two languages is in neither alone.
		{"de", "Das Brot ist für den Morgen und nicht für die Nacht. We sell bread that was baked in the morning, and you can pick it up at our shop.", Unsure, ""},
	} {
		var r Reader
		r.Add(c.text)
		if v, found := r.Judge(c.tag); v != c.want && !(c.want == Unsure && v == Same) || found != c.found {
			t.Errorf("%s: %q: %v %q, want %v %q", c.tag, c.text, v, found, c.want, c.found)
		}
	}
}

func TestBounds(t *testing.T) {
	if len(known) > maxLanguages {
		t.Fatalf("%d languages", len(known))
	}
	var r Reader
	for range 5000 {
		r.Add("und und und und und und und und")
	}
	if r.words != maxWords {
		t.Errorf("read %d words", r.words)
	}
}
