package accessibility

import (
	"visite/internal/inspect/rule"
	"visite/schema"
)

// contentRules are rendered rules on what labels, messages, pictures and
// recordings tell. They fail only what leaves no doubt: whether words that are
// there say enough, is a question for a person.
var contentRules = []rule.Info{
	check("field-label-unclear", schema.SeverityModerate, "2.4.6", []string{"cc0f0a"},
		"A field's label does not say what to enter",
		"Let the label name what is to be entered; where fields of one name stand in several groups, give each group a heading that is to be seen.",
		words("Die Beschriftung eines Feldes sagt nicht, was einzugeben ist",
			"Die Beschriftung nennen lassen, was einzugeben ist; wo Felder gleichen Namens in mehreren Gruppen stehen, jeder Gruppe eine sichtbare Überschrift geben.",
			"La etiqueta de un campo no dice qué hay que introducir",
			"Haga que la etiqueta nombre lo que hay que introducir; si hay campos del mismo nombre en varios grupos, dé a cada grupo un encabezado visible.")),
	check("error-message-unclear", schema.SeveritySerious, "3.3.1", []string{"36b590"},
		"An error message does not say which field is wrong, or in what way",
		"Name the field and what is wrong with it in the message, tie both with aria-describedby, and do not hide the message with aria-hidden.",
		words("Eine Fehlermeldung sagt nicht, welches Feld falsch ist oder was daran",
			"In der Meldung das Feld nennen und was daran falsch ist, beide mit aria-describedby verbinden, und die Meldung nicht mit aria-hidden verbergen.",
			"Un mensaje de error no dice qué campo está mal ni en qué",
			"Nombre en el mensaje el campo y lo que está mal, una ambos con aria-describedby y no oculte el mensaje con aria-hidden.")),
	check("pictures-alone-hidden", schema.SeverityCritical, "1.1.1", []string{"e88epe"},
		"The page consists of pictures, and nothing tells of them",
		"Give the picture a text alternative; where there is nothing else on a page, it is no decoration.",
		words("Die Seite besteht aus Bildern, und nichts erzählt von ihnen",
			"Dem Bild eine Textalternative geben; wo sonst nichts auf der Seite ist, ist es keine Verzierung.",
			"La página consta de imágenes, y nada habla de ellas",
			"Dé a la imagen un texto alternativo; donde no hay nada más en la página, no es decoración.")),
	check("picture-of-text", schema.SeverityModerate, "1.4.5", []string{"0va7u6"},
		"Text is shown as a picture",
		"Write the words as text and let styles do the rest; text can be enlarged, recoloured and read aloud.",
		words("Text wird als Bild gezeigt",
			"Die Worte als Text schreiben und den Rest Stilen überlassen; Text lässt sich vergrößern, umfärben und vorlesen.",
			"Se muestra texto como imagen",
			"Escriba las palabras como texto y deje el resto a los estilos; el texto se puede ampliar, recolorear y leer en voz alta.")),
	check("sound-without-words", schema.SeveritySerious, "1.2.1", []string{"e7aa44", "2eb176", "afb423"},
		"A sound recording has no text alternative",
		"Offer what is to be heard as text, on the page beside the recording or behind a link next to it.",
		words("Eine Tonaufnahme hat keine Textalternative",
			"Was zu hören ist, als Text anbieten, auf der Seite neben der Aufnahme oder hinter einem Link daneben.",
			"Una grabación de sonido no tiene alternativa textual",
			"Ofrezca lo que se oye como texto, en la página junto a la grabación o tras un enlace al lado.")),
}
