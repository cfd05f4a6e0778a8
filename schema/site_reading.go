package schema

// SiteReading is what a site says to robots, as far as a scan read it: figures and
// closed words.
type SiteReading struct {
	Robots   *RobotsFile // nil where it was not read
	Sitemaps []SitemapFile
}

// RobotsFile is how well a robots.txt that is there keeps to its form (RFC 9309).
type RobotsFile struct {
	Bytes    int  `json:"bytes"`              // at most what the door keeps, 512 KiB
	Markup   bool `json:"markup,omitempty"`   // a page in its place
	NotUTF8  bool `json:"not_utf8,omitempty"` // octets that are no UTF-8
	Unknown  int  `json:"unknown,omitempty"`  // lines that no robot understands
	Noindex  int  `json:"noindex,omitempty"`  // noindex lines, which search engines pass over
	Sitemaps int  `json:"sitemaps,omitempty"` // lines that name a sitemap
}

// SitemapFile is what one sitemap came to.
type SitemapFile struct {
	URL      string   `json:"url"`              // query values redacted
	Status   int      `json:"status,omitempty"` // of the answer, 0 for none
	Outcome  Outcome  `json:"outcome"`          // "analysed" where it was read
	Reason   Reason   `json:"reason,omitempty"`
	Pages    int      `json:"pages,omitempty"`
	Children int      `json:"children,omitempty"`
	Foreign  int      `json:"foreign,omitempty"`   // addresses on hosts of other sites
	Future   int      `json:"future,omitempty"`    // pages said to have changed later than they were read
	SameDate bool     `json:"same_date,omitempty"` // all pages say that they changed at the same moment
	Problems []string `json:"problems,omitempty"`  // words of package sitemap's closed list
}
