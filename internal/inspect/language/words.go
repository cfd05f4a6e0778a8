package language

import "strings"

// maxLanguages bounds the list of known ones.
const maxLanguages = 24

// tongue is a language with its little words: articles, pronouns, prepositions,
// conjunctions, forms of "to be" and "to have".
type tongue struct {
	code string
	near string // languages hardly to be told from it by little words, with blanks around
	most string
}

// like tells whether a text in this language may also be one in another.
func (t tongue) like(code string) bool {
	return t.code == code || strings.Contains(t.near, " "+code+" ")
}

var known = []tongue{
	{"en", " sco ", "the of and to in is that it for was on are as with his they at be this from have or by had but not what all were we when your can said there an each which she do how their if will up other about out many then them these so some her would him into has more could no than been who its now did my me our us you he i"},
	{"de", " lb gsw nds als bar ", "der die das und ist in den von zu mit sich des auf für nicht ein eine einen einem einer eines im dem es an auch als nach wie wir sie er ich du ihr aus bei durch über um werden wird sind war hat haben kann können oder aber wenn dass noch nur vor zum zur bis mehr mich mir uns unser ihre ihren sein seine unter keine man so"},
	{"fr", " oc wa pcd frp ", "le la les de des du un une et est en dans que qui pour pas sur au aux avec ce cette ces il elle on nous vous ils je tu ne se sa son ses leur leurs mais ou où par plus être avoir sont était ont fait comme tout tous bien sans peut si d l qu n c j s y notre votre nos vos même aussi après entre"},
	{"es", " gl ca ast an ext ", "el la los las de del un una unos y en que es por para con no se su sus al lo como más pero sus le ha me si sin sobre este esta estos estas ya entre cuando todo todos ser son también fue había era muy años hasta desde está están nos hay donde quien uno ni contra otros ese eso ante ellos e esto mí antes algunos qué"},
	{"it", " scn vec co lmo pms nap ", "il lo la i gli le di del della dei delle dello un uno una e è in che non per con si da dal dalla sono come più ma nel nella nelle al alla ai alle ha ho hanno anche o se su sul sulla ci questo questa questi quello essere era tra fra sua suo suoi loro noi voi tutti tutto quando dove chi cui perché"},
	{"pt", " gl ", "o a os as de do da dos das um uma e é em no na nos nas que não por para com se ao aos à às mais como mas foi ele ela eles elas seu sua seus suas ou quando muito já está eu também só pelo pela até isso entre era depois sem mesmo ter são você nós este esta esse essa tem foram há"},
	{"nl", " af fy li vls zea nds ", "de het een en van is in dat op te zijn met voor niet die er aan om ook als maar dan bij nog door naar uit hij zij ze wij we je jij ik heeft hebben had was werd worden wordt kan kunnen zal over tot geen deze dit meer wat waar hun haar u uw ons onze of omdat veel na"},
	{"da", " no nb nn sv fo ", "og i at det en den til er som på de med han af for ikke der var mig sig men et har om vi min havde ham hun nu over da fra du ud sin dem os op man hans hvor eller hvad skal selv her alle vil blev kunne ind når være dog noget hvis efter"},
	{"nb", " no nn da sv ", "og i det på som er en til å han av for med at var de ikke den har jeg om et men så seg hun hadde fra vi du kan nå da ble ut skal vil ham etter over ved også bare eller sa dette noe være meg mot opp der når inn dem kunne andre blitt alle noen sin ha år henne må selv sier få"},
	{"sv", " da nb no nn ", "och i att det som en på är av för med den till inte om ett de han men var jag sig från vi så kan när hade hon nu då man eller har ut skulle sin där under också efter vid alla mot upp ska mycket bara över mellan blir hur utan får detta dessa vara deras vår oss här genom två"},
	{"fi", " fit ", "ja on ei että se hän oli ovat joka mutta ole niin myös kun kuin tai sen olla hänen ne mitä minä sinä me te he tämä tämän jos vain voi jo nyt vielä kanssa mukaan sekä siitä jossa olisi eivät ollut jotka siis koska ennen jälkeen"},
	{"pl", " csb szl ", "i w na z do się nie to że jest o a jak po co od za dla ale przez tak być był była było są czy ich jego jej tym tego który która które przy oraz lub bardzo tylko może już więc aby bez przed gdy kiedy jeszcze nas nam pan pod mnie ze we ten ta te"},
	{"cs", " sk ", "a v se na je že s z do o k i ve to jsem jsou by byl byla bylo jak ale za pro po od co si jeho který která které tak nebo při už ještě jen také než až jako její být má mají podle však pod před bude když tento tato toto aby ze kde není"},
	{"sk", " cs ", "a v sa na je že s z do o k i vo to som sú by bol bola bolo ako ale za pre po od čo si jeho ktorý ktorá ktoré tak alebo pri už ešte len tiež než až jej byť má majú podľa však pod pred bude keď tento táto toto aby zo kde nie"},
	{"hu", "", "a az és hogy nem is egy ez van meg de ha már csak mint el volt még azt kell vagy lehet amely aki ami ezt mert minden olyan igen után lesz sem nagyon szerint között itt ott így most pedig ezek azok által ki be le fel"},
	{"ro", " mo ", "și în de la cu o nu că a pe din un să este mai care pentru sunt au fost prin sau al ale lui ei se dar dacă după fi cum ca această acest acesta am ai ne vă le când unde foarte fără între către printre lor tot toate două"},
	{"tr", " az ", "ve bir bu da de için ile ne o çok olarak daha gibi kadar sonra var ben sen biz siz olan en ama her şey mi mı mu mü ya değil diye ise veya hem oldu olduğu ki onun bunu şu kendi göre tüm içinde üzerinde"},
	{"hr", " sr bs sh sl ", "i je u na se da za su od koji koja koje s sa o do kao ili ne to bi bio bila će iz po ali što sam smo nije samo više može ako kada prema također ovaj ova ovo svoj sve jer još biti nakon te"},
	{"id", " ms jv su ", "yang dan di dengan untuk pada adalah ini itu dari dalam tidak akan ke oleh sebagai atau juga ada bisa telah karena kami kita mereka dapat saya anda ia dia lebih sudah tersebut seperti bagi hanya para namun"},
	{"ca", " es oc gl ", "el la els les de del dels un una i en que és per amb no es al als com més però ha o si seva seu són aquest aquesta va ser també molt sobre entre fins quan perquè on hi ho ens ja tot tots sense des"},
}

// little are the little words with the languages that have them.
var little = func() map[string][]uint8 {
	all := map[string][]uint8{}
	for l, t := range known {
		seen := map[string]bool{}
		for word := range strings.FieldsSeq(t.most) {
			if !seen[word] {
				seen[word] = true
				all[word] = append(all[word], uint8(l))
			}
		}
	}
	return all
}()

// listed is a language's place among the known ones.
func listed(code string) (int, bool) {
	if code == "no" || code == "nn" {
		code = "nb"
	}
	for l, t := range known {
		if t.code == code {
			return l, true
		}
	}
	return 0, false
}
