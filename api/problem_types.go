package api

import "strings"

// problemPath begins every problem's type, a reference relative to the API.
const problemPath = "/problems/"

// Codes of problems. Stable: clients decide by them.
const (
	codeInternal             = "internal"
	codeTimeout              = "timeout"
	codeUnavailable          = "unavailable"
	codeNoSuchResource       = "no-such-resource"
	codeMethodNotAllowed     = "method-not-allowed"
	codeNotAcceptable        = "not-acceptable"
	codeMalformedBody        = "malformed-body"
	codeMalformedForm        = "malformed-form"
	codeBodyTooLarge         = "body-too-large"
	codeBodyTimeout          = "body-timeout"
	codeMediaType            = "media-type"
	codeInvalidRequest       = "invalid-request"
	codeInvalidField         = "invalid-field"
	codeTokenMissing         = "token-missing"
	codeTokenUnknown         = "token-unknown"
	codeTooManyBadTokens     = "too-many-bad-tokens"
	codeBootstrapOff         = "bootstrap-off"
	codeNotFound             = "not-found"
	codeURLSyntax            = "url-syntax"
	codeURLCredentials       = "url-credentials"
	codeSchemeNotWeb         = "scheme-not-web"
	codePortNotWeb           = "port-not-web"
	codeLoopbackNotAllowed   = "loopback-not-allowed"
	codeProfileUnknown       = "profile-unknown"
	codeProfileLoopbackOnly  = "profile-loopback-only"
	codeTooManyPages         = "too-many-pages"
	codeContactMissing       = "contact-missing"
	codeContactInvalid       = "contact-invalid"
	codePartyMissing         = "basis-party-missing"
	codeNeedsProof           = "needs-proof"
	codeFewPagesUsedUp       = "few-pages-used-up"
	codeScanRunning          = "scan-running"
	codeScanFinal            = "scan-final"
	codeIdempotencyKeyReused = "idempotency-key-reused"
	codeCursorInvalid        = "cursor-invalid"
	codeTooManyStreams       = "too-many-streams"
	codeOperatorOnly         = "operator-only"
	codeHostObjected         = "host-objected"
	codeOperatorOff          = "operator-off"
	codeScanNotRunning       = "scan-not-running"
	codeTooOften             = "too-often"
	codeTimeMissing          = "time-missing"
	codePathMissing          = "path-missing"
	codeHostMissing          = "host-missing"
	codeHostInvalid          = "host-invalid"
	codeOtherHost            = "other-host"
	codeSecretInvalid        = "secret-invalid"
	codeNoDNSName            = "no-dns-name"
	codeMethodMissing        = "method-missing"
	codeProofNeeded          = "host-proof-needed"
	codeNotConfirmed         = "not-confirmed"
	codeTooManyOrigins       = "too-many-origins"
	codeHostResting          = "host-resting"
	codePDFUnavailable       = "pdf-unavailable"
	codeNotComparable        = "not-comparable"
	codeItemReason           = "item-reason-missing"
	codeItemUntil            = "item-until-invalid"
	codeItemForGood          = "item-until-unwanted"
	codeItemsDecided         = "too-many-items-decided"
	codePreviewsEnd          = "previews-end-invalid"
	codePreviewsOff          = "previews-end-unwanted"
	codeFreeNotOffered       = "free-analysis-not-offered"
	codeFreeCallerUsedUp     = "free-caller-used-up"
	codeFreeHostUsedUp       = "free-host-used-up"
	codeFreeTooMany          = "free-too-many"
	codeFreeFailed           = "free-analysis-failed"
	codeRobotsForbids        = "robots-forbids"
	codeRobotsUnreached      = "robots-unreachable"
	codeURLSecret            = "url-secret"
	codeCrossOrigin          = "cross-origin"
)

// problemType explains a problem to people. Detail and remedy are those of an
// answer that has nothing more particular to say.
type problemType struct{ title, detail, remedy string }

// problemTypes holds every problem the API answers with; those without a constant
// are named by the packages that find them.
var problemTypes = map[string]problemType{
	codeInternal:             {"Our own fault", "Something failed on our side.", "Try again later; if it stays, tell the operator the request_id."},
	codeTimeout:              {"Too slow an answer", "The answer took too long.", "Try again later."},
	codeUnavailable:          {"Not available at the moment", "A part of the service does not answer.", "Try again later."},
	codeNoSuchResource:       {"No such resource", "There is nothing at this path.", "See /docs for what there is."},
	codeMethodNotAllowed:     {"Method not allowed", "This path does not take that method.", "Use one of the methods in the Allow header."},
	codeNotAcceptable:        {"No such representation", "None of the media types in Accept can be given.", "Send one of those the description of the operation names, such as Accept: application/json or Accept: text/html."},
	codeMalformedBody:        {"Body is no JSON", "The body is missing, broken off, or no JSON.", "Send one JSON object."},
	codeMalformedForm:        {"Body is no form", "The form's fields cannot be read.", "Send them as application/x-www-form-urlencoded."},
	codeBodyTooLarge:         {"Body too large", "The body is larger than 64 KiB.", "Send a smaller one."},
	codeBodyTimeout:          {"Body came too slowly", "The body did not arrive in time.", "Send it again."},
	codeMediaType:            {"Media type not understood", "Only JSON is understood.", "Send Content-Type: application/json."},
	codeInvalidRequest:       {"Request not valid", "Something in the request is not as it must be.", "Correct what errors names."},
	codeInvalidField:         {"Field not valid", "A field is not as it must be.", "Correct it as its entry says."},
	codeTokenMissing:         {"Token missing", "The request carries no token.", "Send Authorization: Bearer TOKEN."},
	codeTokenUnknown:         {"Token unknown", "The token is not known, or revoked.", "Use the token shown when the workspace was made."},
	codeTooManyBadTokens:     {"Too many wrong tokens", "Too many wrong tokens came from this address.", "Wait as Retry-After says."},
	codeBootstrapOff:         {"Workspaces cannot be made here", "This deployment has no bootstrap secret.", "The operator sets VISITE_BOOTSTRAP_TOKEN."},
	codeNotFound:             {"Not found", "There is no such thing in this workspace.", "Check the id."},
	codeURLSyntax:            {"Not a URL", "The address cannot be read.", "Give an address such as https://example.com/."},
	"url-missing":            {"Address missing", "There is no address.", "Give the address of a page, such as https://example.com/."},
	"url-space":              {"Space in the address", "The address contains a space.", "Give one address; write %20 where a space belongs to it."},
	"url-too-long":           {"Address too long", "The address is longer than 2000 characters.", "Give a shorter one; the site's home page will do."},
	"url-no-host":            {"No host", "The address names no host.", "Give an address with a host, such as https://example.com/."},
	"url-host":               {"Host not valid", "The host of the address is not a valid name.", "Check the spelling."},
	"url-port":               {"Port not valid", "The port is not a number from 1 to 65535.", "Correct it or leave it out."},
	"url-address-spelling":   {"Unusual spelling of an address", "The host is a number in a form that is no ordinary IPv4 address.", "Write four decimal numbers, or the host's name."},
	"guarded-address":        {"Guarded address", "The address leads into a private or reserved network.", "Give a site of the public internet."},
	"name-not-found":         {"Name not found", "No such host name is known.", "Check the spelling of the name."},
	"name-not-resolved":      {"Name not resolved", "The name servers gave no answer for the host.", "Try again in a moment."},
	codeURLCredentials:       {"URL with credentials", "The address carries a user name or password.", "Leave them out: Visite never logs in."},
	codeSchemeNotWeb:         {"Not a web address", "Only http and https are visited.", "Begin the address with https://."},
	codePortNotWeb:           {"Not a web port", "The port is not one that web servers use.", "Use the port of the site's web server."},
	codeLoopbackNotAllowed:   {"This machine is not visited", "The address leads to the machine Visite runs on.", "Scan your own machine with the local stack: visite scan."},
	codeProfileUnknown:       {"Profile unknown", "There is no such profile.", "See /v1/profiles for those there are."},
	codeProfileLoopbackOnly:  {"Profile for this machine only", "The profile's pace is too free for other people's servers.", "Choose another profile."},
	codeTooManyPages:         {"Too many pages", "A scan of that many pages is not done here.", "Ask for fewer."},
	codeContactMissing:       {"Contact missing", "Whoever is visited must be able to turn to somebody.", "Give an e-mail address or web page as contact."},
	codeContactInvalid:       {"Contact not valid", "The contact is neither an e-mail address nor a web address.", "Give one such as webmaster@example.org."},
	codePartyMissing:         {"Party missing", "It is not said who permitted the scan.", "Name them in basis.party."},
	codeNeedsProof:           {"Proof of ownership needed", "Without proof only a few pages a day are visited.", "Ask for fewer pages."},
	codeFewPagesUsedUp:       {"Today's few pages are used up", "The pages a site gives without proof were all visited today.", "Come back after midnight UTC."},
	codeScanRunning:          {"A scan is running", "The site is being scanned for this workspace already.", "Wait for that scan, or cancel it."},
	codeScanFinal:            {"The scan has ended", "A scan that has ended cannot be cancelled.", "Order a new one."},
	codeIdempotencyKeyReused: {"Idempotency-Key used for another order", "The key belongs to an order with other contents.", "Use a new key for a new order."},
	codeCursorInvalid:        {"Cursor not valid", "The cursor is not one this list gave out.", "Follow the Link header, or begin without a cursor."},
	codeTooOften:             {"Asked too often", "Too many questions came from this address.", "Wait as Retry-After says."},
	codeTimeMissing:          {"Time missing", "It is not said when the request came, or the time in the line cannot be read.", "Give at, such as 2026-01-31T14:05:00Z."},
	codePathMissing:          {"Path missing", "It is not said which path was asked for, or the line holds none.", "Give path, such as /contact."},
	codeHostMissing:          {"Host missing", "It is not said which host was asked.", "Give host, such as example.com."},
	codeHostInvalid:          {"Host not valid", "The host is no name of a website.", "Give one such as example.com."},
	codeOtherHost:            {"Proof of another host", "The token was given for another host.", "Prove this host too."},
	codeSecretInvalid:        {"Secret not valid", "The secret is not one that a proof began with.", "Begin with an empty object, and send back the secret of its answer."},
	codeNoDNSName:            {"No name in DNS", "The host is an address and has no name to put a record at.", "Use method file."},
	codeMethodMissing:        {"Method missing", "It is not said where the word was published.", "Give method: dns or file."},
	codeProofNeeded:          {"Proof of the host needed", "An objection for all hosts below a name needs a proof.", "Prove the host first, or leave subdomains out."},
	codeNotConfirmed:         {"Not confirmed", "The confirmation is missing.", "Tick the box."},
	codeTooManyOrigins:       {"Too many hosts at once", "The addresses are on more hosts than are asked at once.", "Ask for fewer hosts, or give the robots.txt."},
	codeHostResting:          {"The host is resting", "The host asked for rest, or all turns at it are taken.", "Wait as Retry-After says."},
	codeNotComparable:        {"Not comparable", "The scan to compare with is not another scan of the same site.", "Name an earlier scan of this site; /v1/scans?site= lists them."},
	codeItemReason:           {"Reason missing", "It is not said why the item is acknowledged or ignored.", "Give reason."},
	codeItemUntil:            {"End not valid", "An acknowledgement ends within two years from now.", "Give until, such as 2030-01-31T00:00:00Z, or ignore the item."},
	codeItemForGood:          {"End not wanted", "What is ignored is so until it is opened again.", "Leave until out, or acknowledge the item."},
	codeItemsDecided:         {"Too many decisions", "As much is decided about items of this site as is kept.", "Open items again that are mended."},
	codePreviewsEnd:          {"End not valid", "Previews are kept until a day within a year from now.", "Give expires_at, such as 2030-01-31T00:00:00Z."},
	codePreviewsOff:          {"End not wanted", "Previews that are switched off are deleted at once.", "Leave expires_at out, or switch them on."},
	codePDFUnavailable:       {"No PDF here", "This deployment has no Chromium beside its API to print with.", "Take the HTML report and print it, or install Chromium where the API runs."},
	codeFreeNotOffered:       {"No free analysis", "Free analyses are not offered here, or not under this profile.", "Order a scan with a workspace's token."},
	codeFreeCallerUsedUp:     {"Today's free analyses are used up", "From your address as many free analyses were begun today as there are.", "Come back after midnight UTC."},
	codeFreeHostUsedUp:       {"The host was analysed enough today", "The host was analysed today as often as it is asked for people without an account.", "Come back after midnight UTC."},
	codeFreeTooMany:          {"Too many free analyses at once", "As many free analyses are under way as are done at once.", "Try again in a minute."},
	codeFreeFailed:           {"The analysis failed", "The analysis ended by a fault of ours, or was cancelled, before the page was loaded.", "Ask again."},
	codeRobotsForbids:        {"robots.txt forbids it", "The site's robots.txt forbids us the page.", "Whoever runs the site can allow it there; that binds its owner's checks as well."},
	codeRobotsUnreached:      {"robots.txt cannot be read", "The site's robots.txt could not be read; as long as that is so, nothing is visited.", "See to it that robots.txt is answered, with 404 where there is none, and ask again later."},
	codeURLSecret:            {"Secret in the address", "The address carries a secret, or names a person.", "Give the address of a page that anybody may see."},
	codeCrossOrigin:          {"Sent by another website", "A page of another website had this sent.", "Use the form here, or a client that is no browser."},
	"host-not-visited":       {"Host not visited", "The host is one that is not visited.", "Leave its addresses out."},
	"subdomains-of-port":     {"No hosts below", "An address or a port has no hosts below it.", "Leave the port out."},
	"contact-too-long":       {"Contact too long", "The contact is longer than 200 characters.", "Give an e-mail address or a web page."},
	"message-too-long":       {"Message too long", "The message is longer than 2000 characters.", "Shorten it."},
	"factor-out-of-range":    {"Factor out of range", "The factor is not from 2 to 100.", "Choose one in that range, or ask for a stop."},
	"time-invalid":           {"Time not valid", "The time is not of the form HH:MM.", "Give one such as 08:30."},
	"quiet-hours-empty":      {"Quiet hours empty", "Quiet hours end when they begin.", "Ask for a stop, or choose another end."},
	"zone-unknown":           {"Time zone unknown", "There is no such time zone.", "Give a name such as Europe/Berlin."},
	"kind-unknown":           {"Kind unknown", "There is no such kind of objection.", "Use stop, quiet_hours or slower."},
	codeHostObjected:         {"The site does not want to be visited", "We were asked on the site's behalf to stay away from the host.", "Talk to those who run it; only whoever asked can take it back."},
	codeOperatorOnly:         {"For the operator alone", "The token is a workspace's.", "The deployment's operator does this, with the bootstrap secret."},
	codeOperatorOff:          {"No operator over HTTP", "This deployment has no bootstrap secret.", "The operator sets VISITE_BOOTSTRAP_TOKEN."},
	codeScanNotRunning:       {"The scan is not running", "The scan has ended or is ending.", "There is nothing left to hasten."},
	"brisk-already":          {"A brisk gait is in force", "The scan goes briskly already.", "Wait until that ends."},
	"reason-missing":         {"Reason missing", "It is not said why.", "Give the reason in 10 to 500 characters."},
	"reason-length":          {"Reason too short or too long", "The reason has fewer than 10 or more than 500 characters.", "Say in one or two sentences why."},
	"brisk-too-long":         {"End too far off", "A brisk gait lasts 1 to 120 minutes.", "Choose an end within two hours."},
	"operator-unnamed":       {"Operator not named", "It is not said who orders it, or at too great length.", "Give your name in at most 100 characters."},
	codeTooManyStreams:       {"Too many event streams", "The workspace has too many event streams open.", "Close some, or ask for the scan's state instead."},
}

// titleOf is a problem's title; a code of another package is put into words.
func titleOf(code string) string {
	if known, ok := problemTypes[code]; ok {
		return known.title
	}
	words := strings.ReplaceAll(code, "-", " ")
	if words == "" {
		return problemTypes[codeInvalidRequest].title
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

// wording is the usual detail and remedy of a problem.
func wording(code string) (detail, remedy string) {
	known := problemTypes[code]
	return known.detail, known.remedy
}
