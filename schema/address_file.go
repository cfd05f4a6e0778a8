package schema

import "strings"

// fileEndings are path endings of what is surely no page.
var fileEndings = set("7z", "aac", "apk", "avi", "avif", "bin", "bmp", "bz2", "csv", "css", "deb", "dmg", "doc", "docm", "docx", "dot",
	"dotx", "eot", "eps", "epub", "exe", "flac", "flv", "gif", "gz", "ical", "ico", "ics", "img", "iso", "jar", "jpeg", "jpg", "js", "json",
	"key", "kml", "kmz", "m3u8", "m4a", "m4v", "map", "mid", "mjs", "mkv", "mobi", "mov", "mp3", "mp4", "mpeg", "mpg", "msi", "odg", "odp", "ods",
	"odt", "oga", "ogg", "ogv", "opus", "otf", "pdf", "pkg", "png", "ppt", "pptm", "pptx", "ps", "psd", "rar", "rpm", "rss", "rtf", "svg",
	"svgz", "tar", "tgz", "tif", "tiff", "torrent", "ttf", "txt", "vcf", "vcs", "wasm", "wav", "webm", "webmanifest", "webp", "wma", "wmv",
	"woff", "woff2", "xls", "xlsm", "xlsx", "xml", "xz", "zip", "zst")

// LooksLikeFile reports whether the path of an address ends like a file that is
// no page (picture, archive, document, feed). Such an address is a link but no
// candidate for a visit.
func LooksLikeFile(address string) bool {
	_, rest, _ := strings.Cut(address, "://")
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	slash := strings.LastIndexByte(rest, '/')
	dot := strings.LastIndexByte(rest, '.')
	if slash < 0 || dot < slash || len(rest)-dot > 12 {
		return false
	}
	return fileEndings[strings.ToLower(rest[dot+1:])]
}
