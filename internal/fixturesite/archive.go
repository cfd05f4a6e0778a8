package fixturesite

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"mime"
	"net/http"
	"net/textproto"
	"path"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

// File is one address of a site and its answer.
type File struct {
	Path   string // path, with query where only that query is meant
	Status int
	Header http.Header
	Delay  time.Duration // before the answer; 0: at once
	Body   []byte
	Text   bool // {{base}} is replaced in the body
}

// Parse reads an archive in the package's format. Comment text before the first
// member is ignored.
func Parse(archive string) ([]File, error) {
	var files []File
	for _, member := range txtar.Parse([]byte(archive)).Files {
		f, err := parseMember(member.Name, member.Data)
		if err != nil {
			return nil, fmt.Errorf("member %q: %w", member.Name, err)
		}
		files = append(files, f)
	}
	return files, nil
}

func parseMember(marker string, body []byte) (File, error) {
	words, err := splitOptions(marker)
	if err != nil {
		return File{}, err
	}
	if len(words) == 0 || !strings.HasPrefix(words[0], "/") {
		return File{}, fmt.Errorf("the address must begin with a slash")
	}
	f := File{Path: words[0], Header: http.Header{}, Body: body, Text: true}
	compress := false
	for _, option := range words[1:] {
		if option == "gzip" {
			compress = true
			continue
		}
		if err := f.apply(option); err != nil {
			return File{}, err
		}
	}
	if f.Status == 0 {
		f.Status = http.StatusOK
		if f.Header.Get("Location") != "" {
			f.Status = http.StatusFound
		}
	}
	if f.Header.Get("Content-Type") == "" {
		f.Header.Set("Content-Type", typeByPath(f.Path))
	}
	if compress {
		f.Body, f.Text = gzipped(f.Body), false
		f.Header.Set("Content-Encoding", "gzip")
	}
	return f, nil
}

func (f *File) apply(option string) error {
	name, value, found := strings.Cut(option, "=")
	if !found {
		return fmt.Errorf("option %q is unknown", option)
	}
	var err error
	switch name {
	case "status":
		f.Status, err = strconv.Atoi(value)
	case "type":
		f.Header.Set("Content-Type", value)
	case "location":
		f.Header.Set("Location", value)
	case "delay":
		f.Delay, err = time.ParseDuration(value)
	case "header":
		key, v, ok := strings.Cut(value, ":")
		if !ok {
			return fmt.Errorf("header %q has no colon", value)
		}
		f.Header.Add(textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(key)), strings.TrimSpace(v))
	case "encoding":
		if value != "base64" {
			return fmt.Errorf("encoding %q is unknown", value)
		}
		f.Body, err = base64.StdEncoding.DecodeString(string(bytes.Join(bytes.Fields(f.Body), nil)))
		f.Text = false
	default:
		return fmt.Errorf("option %q is unknown", name)
	}
	if err != nil {
		return fmt.Errorf("option %q: %w", name, err)
	}
	return nil
}

// splitOptions splits a marker at blanks outside of double quotes; a value that
// begins with a quote is read as a Go string.
func splitOptions(marker string) ([]string, error) {
	var words []string
	for rest := strings.TrimSpace(marker); rest != ""; rest = strings.TrimLeft(rest, " \t") {
		end := strings.IndexAny(rest, " \t\"")
		if end < 0 {
			return append(words, rest), nil
		}
		word := rest[:end]
		rest = rest[end:]
		if rest[0] == '"' {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return nil, fmt.Errorf("quote not closed after %q", word)
			}
			value, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, fmt.Errorf("bad string %s: %w", quoted, err)
			}
			word += value
			rest = rest[len(quoted):]
		}
		words = append(words, word)
	}
	return words, nil
}

func typeByPath(address string) string {
	p, _, _ := strings.Cut(address, "?")
	switch ext := path.Ext(p); ext {
	case "", ".html", ".htm":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".xml":
		return "application/xml"
	case ".txt":
		return "text/plain; charset=utf-8"
	default:
		if t := mime.TypeByExtension(ext); t != "" {
			return t
		}
		return "application/octet-stream"
	}
}

func gzipped(body []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(body) // a bytes.Buffer does not fail
	w.Close()
	return out.Bytes()
}
