package challenge

import "strings"

// challengeTitles are titles of challenges, lower case, as they begin.
var challengeTitles = []string{
	"just a moment...", "just a moment…", "nur einen moment", "un momento…", "un momento...", "un instant…", "un instant...",
	"attention required! | cloudflare", "checking your browser", "ddos-guard", "vercel security checkpoint", "pardon our interruption",
	"access to this page has been denied", "making sure you're not a bot", "making sure you&#39;re not a bot", "robot or human", "client challenge",
	"bot verification", "human verification", "security verification", "one moment, please...", "browser check", "verifying your browser",
	"wir überprüfen ihren browser", "sicherheitsüberprüfung", "comprobando su navegador", "comprobando tu navegador", "verificación de seguridad",
	"sucuri website firewall", "you have been blocked", "you are being checked",
}

// humanPhrases ask to prove that one is human, lower case.
var humanPhrases = []string{
	"verify you are human", "verify you are a human", "verify that you are human", "verify you're human", "are you a robot", "are you human", "not a robot", "not a bot",
	"checking your browser", "checking if the site connection is secure", "performing security verification", "needs to review the security of your connection",
	"bestätigen sie, dass sie ein mensch", "bestätigen, dass sie ein mensch", "bestätigen sie, dass sie kein roboter", "sind sie ein mensch", "kein roboter", "ihr browser wird überprüft",
	"verifique que es humano", "verifica que eres humano", "confirme que es humano", "no es un robot", "no soy un robot", "es usted un robot", "eres un robot",
	"vérifiez que vous êtes humain", "vous n'êtes pas un robot",
}

func isChallengeTitle(title string) bool {
	for _, t := range challengeTitles {
		if strings.HasPrefix(title, t) {
			return true
		}
	}
	return false
}

func asksForHuman(text string) bool {
	for _, p := range humanPhrases {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}
