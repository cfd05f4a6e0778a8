package robots

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fill makes a file of the size limit from generated lines.
func fill(gen func(i int) string) []byte {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := 0; b.Len() < MaxBody; i++ {
		b.WriteString(gen(i))
	}
	return []byte(b.String()[:MaxBody])
}

// abWord spells a number with a and b.
func abWord(i int) string {
	return strings.NewReplacer("0", "a", "1", "b").Replace(fmt.Sprintf("%018b", i*13%262144))
}

var hostile = map[string][]byte{
	"plain rules":      fill(func(i int) string { return fmt.Sprintf("Disallow:/%x\n", i) }),
	"star rules":       fill(func(i int) string { return fmt.Sprintf("Disallow:/*%x\n", i) }),
	"many stars":       fill(func(i int) string { return fmt.Sprintf("Disallow: /*a*a*a*a*a*b%x$\n", i) }),
	"two letters":      fill(func(i int) string { return "Disallow: /*" + abWord(i) + "\n" }),
	"one endless rule": fill(func(int) string { return "Disallow: /" + strings.Repeat("*a", 1<<17) + "b\n" }),
	"each length":      fill(func(i int) string { return "Disallow: /" + strings.Repeat("x", i) + "*y\n" }),
	"groups":           fill(func(i int) string { return fmt.Sprintf("User-agent: *\nCrawl-delay: 1\nDisallow: /*%x\n", i) }),
	"agents":           fill(func(int) string { return "User-agent: *\nCrawl-delay: 1\n" }),
	"escapes":          fill(func(i int) string { return fmt.Sprintf("Disallow: /*\xFF%x\n", i) }),
	"stars alone":      fill(func(i int) string { return "Disallow: " + strings.Repeat("*", 1+i%500) + "b\n" }),
	"empty lines":      fill(func(int) string { return "\n" }),
}

var hostileAddresses = map[string]string{
	"short":         "/kontakt",
	"one letter":    "/" + strings.Repeat("a", 2000),
	"two letters":   "/aabba" + strings.Repeat("abaabbbaab"+"c", 180),
	"very long":     "/" + strings.Repeat("abababaabb", 6000),
	"many escapes":  "/" + strings.Repeat("%C3%BC", 300),
	"deep and dots": strings.Repeat("/a/..", 400),
}

// The promise is 50 ms a decision; reading the file, once a visit, may take as
// long again.
func TestHostileFileIsCheap(t *testing.T) {
	const bound = 50 * time.Millisecond * raceFactor
	for name, body := range hostile {
		var rules *Rules
		if took := quickest(2*bound, func() { rules = Parse(body).For([]string{"bot"}) }); took > 2*bound {
			t.Errorf("%s: reading takes %v", name, took)
		}
		for at, address := range hostileAddresses {
			if took := quickest(bound, func() { rules.Decide(address) }); took > bound {
				t.Errorf("%s, %s: a decision takes %v", name, at, took)
			}
		}
	}
}

// quickest is the least processor time of up to ten tries: the clock on the wall
// would measure what else the machine does.
func quickest(bound time.Duration, do func()) time.Duration {
	best := time.Hour
	for try := 0; try < 10 && best > bound; try++ {
		start := processorTime()
		do()
		best = min(best, processorTime()-start)
	}
	return best
}

func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func TestHostileFileTakesBoundedMemory(t *testing.T) {
	for name, body := range hostile {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		f := Parse(body)
		f.Decide([]string{"bot"}, "/a")
		runtime.GC()
		runtime.ReadMemStats(&after)
		if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 40<<20 {
			t.Errorf("%s: keeps %d MiB", name, kept>>20)
		}
		runtime.KeepAlive(f)
	}
}

// Decisions on hostile files are not only cheap but right, as far as the
// reference can follow.
func TestHostileFileIsJudgedRight(t *testing.T) {
	rule := func(s string) string { return "User-agent: *\nDisallow: /" + s + "\n" }
	for robots, want := range map[string]map[string]bool{
		rule(strings.Repeat("*a", 30) + "$"):            {"/" + strings.Repeat("a", 60): false, "/" + strings.Repeat("a", 60) + "b": true},
		rule(strings.Repeat("*", 512) + ".html"):        {"/x.html": false, "/x.htm": true},
		rule(strings.Repeat("*ab", 1000)):               {"/" + strings.Repeat("ab", 1000): false, "/" + strings.Repeat("ab", 999): true},
		string(hostile["star rules"]):                   {"/xyz": true, "/x1f": false},
		string(hostile["plain rules"]):                  {"/xyz": true, "/1f": false},
		rule("x") + strings.Repeat("Disallow: /y\n", 9): {"/x": false, "/y": false, "/z": true},
	} {
		f := Parse([]byte(robots))
		for path, allow := range want {
			if d := f.Decide([]string{"bot"}, path); d.Allow != allow {
				t.Errorf("%.40q for %.40q: allow %v by %.40q", robots, path, d.Allow, d.Rule)
			}
		}
	}
}

func TestManyPatternsAgreeWithReference(t *testing.T) {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range 300 {
		fmt.Fprintf(&b, "%s: /*%s*%s\n", []string{"Allow", "Disallow"}[i%2], abWord(i)[8:13], abWord(i * 7)[10:])
	}
	f := Parse([]byte(b.String()))
	if n := f.For(nil).own.patterns; n <= manyPatterns {
		t.Fatalf("%d patterns take the short way", n)
	}
	for i := range 150 {
		path := "/" + abWord(i) + abWord(i*31)
		if got, want := f.Decide(nil, path).Allow, judgeByReference(f, nil, path); got != want {
			t.Errorf("%s: allow %v, reference says %v", path, got, want)
		}
	}
}

func TestDecisionBeyondTheBudgetDenies(t *testing.T) {
	d := Parse(hostile["two letters"]).Decide([]string{"bot"}, "/"+strings.Repeat("abaabbbaabbbbbabaac", 2000))
	if d.Allow || d.Rule != "" || d.Group != "*" {
		t.Errorf("allow %v, rule %q, group %q", d.Allow, d.Rule, d.Group)
	}
}

var everydayFile = []byte(`User-agent: *
Disallow: /admin/
Disallow: /*.pdf$
Disallow: /search?
Allow: /admin/public/
Disallow: /intern/
Disallow: /*?sort=
Disallow: /cart
Disallow: /tmp
Disallow: /cgi-bin/
Crawl-delay: 2

User-agent: Herb
Disallow: /private/
Allow: /private/press/
Disallow: /*/print$
`)

func BenchmarkDecide(b *testing.B) {
	rules := Parse(everydayFile).For([]string{"herb"})
	b.ReportAllocs()
	for b.Loop() {
		rules.Decide("https://shop.example/products/chairs/red?colour=1")
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
}

func BenchmarkDecideEscaped(b *testing.B) {
	rules := Parse(everydayFile).For([]string{"herb"})
	b.ReportAllocs()
	for b.Loop() {
		rules.Decide("https://shop.example/m%C3%B6bel/st%c3%bchle/r%6ft")
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
}

func BenchmarkDecideHostile(b *testing.B) {
	rules := Parse(hostile["star rules"]).For([]string{"herb"})
	for b.Loop() {
		rules.Decide("https://shop.example/products/chairs/red?colour=1")
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
}

func BenchmarkParseAndCompile(b *testing.B) {
	b.SetBytes(int64(len(everydayFile)))
	for b.Loop() {
		Parse(everydayFile).For([]string{"herb"})
	}
}
