package workflows

// Task queues; package worker says which process polls which.
const (
	QueueScan    = "visite-scan"    // workflows and our own short steps
	QueueFetch   = "visite-fetch"   // robots.txt, sitemaps, pages of the http engine
	QueueBrowser = "visite-browser" // pages in Chromium: fixed slots
	QueueLinks   = "visite-links"   // links to other servers
)
