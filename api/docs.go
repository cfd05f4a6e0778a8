package api

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

//go:embed docs.html
var docsHTML string

var docsPage = template.Must(template.New("docs").Parse(docsHTML))

// docsPolicy: the page brings its own style and needs nothing else.
const docsPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// docs is the OpenAPI description laid out for reading.
type docs struct {
	Title, Version string
	Address        string // where this API answers
	Description    []string
	Groups         []docsGroup
	Schemas        []docsSchema
	Problems       []docsProblem
}

type docsGroup struct {
	Name, Anchor, Description string
	Operations                []docsOperation
}

type docsOperation struct {
	ID, Method, Path, Summary, Description string
	Token                                  string
	Operator                               bool // opened by the operator's secret alone
	Parameters                             []docsField
	Body                                   string   // name of its schema
	Needed                                 []string // properties the body must have
	Answers                                []docsAnswer
}

type docsField struct {
	Name, In, Type, Description, Schema string
	Required                            bool
}

type docsAnswer struct {
	Status, Description, Schema, Types string
}

type docsSchema struct {
	Name   string
	Fields []docsField
}

type docsProblem struct{ Code, Title, Detail, Remedy string }

// serveDocs serves the documentation, made once from the description itself; it
// works without scripts and without a network.
func (a *API) serveDocs() {
	var page bytes.Buffer
	if err := docsPage.Execute(&page, docsOf(a.huma.OpenAPI(), a.PublicURL)); err != nil {
		panic(fmt.Errorf("documentation page: %w", err)) // template and description are both ours
	}
	show := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", docsPolicy)
		_, _ = w.Write(page.Bytes())
	}
	a.router.Get("/docs", show)
	a.router.Get(problemPath+"{code}", func(w http.ResponseWriter, r *http.Request) {
		code := r.PathValue("code")
		if _, known := problemTypes[code]; !known {
			a.notFound(w, r)
			return
		}
		http.Redirect(w, r, "/docs#problem-"+code, http.StatusFound)
	})
}

func docsOf(spec *huma.OpenAPI, address string) docs {
	named := spec.Components.Schemas.Map()
	d := docs{Title: spec.Info.Title, Version: spec.Info.Version, Address: address, Description: strings.Split(spec.Info.Description, "\n\n")}
	for _, tag := range spec.Tags {
		group := docsGroup{Name: tag.Name, Anchor: strings.ReplaceAll("tag-"+tag.Name, " ", "-"), Description: tag.Description}
		for _, path := range slices.Sorted(maps.Keys(spec.Paths)) {
			for _, op := range operationsOf(spec.Paths[path]) {
				if slices.Contains(op.Tags, tag.Name) {
					group.Operations = append(group.Operations, operationOf(path, op, named))
				}
			}
		}
		d.Groups = append(d.Groups, group)
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		d.Schemas = append(d.Schemas, docsSchema{Name: name, Fields: fieldsOf(named[name])})
	}
	for _, code := range slices.Sorted(maps.Keys(problemTypes)) {
		p := problemTypes[code]
		d.Problems = append(d.Problems, docsProblem{Code: code, Title: p.title, Detail: p.detail, Remedy: p.remedy})
	}
	return d
}

// operationsOf lists a path's operations in reading order.
func operationsOf(item *huma.PathItem) []*huma.Operation {
	var list []*huma.Operation
	for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
		if op != nil {
			list = append(list, op)
		}
	}
	return list
}

func operationOf(path string, op *huma.Operation, named map[string]*huma.Schema) docsOperation {
	d := docsOperation{ID: op.OperationID, Method: op.Method, Path: path, Summary: op.Summary, Description: op.Description}
	switch {
	case asksFor(op, schemeWorkspace):
		d.Token = "the workspace's token"
	case asksFor(op, schemeBootstrap):
		d.Token, d.Operator = "the operator's bootstrap secret", true
	case asksFor(op, schemeOperator):
		d.Token, d.Operator = "the operator's bootstrap secret; a workspace's token opens nothing here", true
	case asksFor(op, schemeHost):
		d.Token = "the token of a host's proof"
	}
	for _, p := range op.Parameters {
		typ, schema := typeOf(p.Schema)
		d.Parameters = append(d.Parameters, docsField{Name: p.Name, In: p.In, Type: typ, Schema: schema, Description: cmp.Or(p.Description, p.Schema.Description), Required: p.Required})
	}
	if op.RequestBody != nil {
		for _, media := range op.RequestBody.Content {
			_, d.Body = typeOf(media.Schema)
		}
		if body := named[d.Body]; body != nil {
			d.Needed = slices.Sorted(slices.Values(body.Required))
		}
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		d.Answers = append(d.Answers, answerOf(status, op.Responses[status]))
	}
	return d
}

func answerOf(status string, r *huma.Response) docsAnswer {
	a := docsAnswer{Status: status, Description: r.Description, Types: strings.Join(slices.Sorted(maps.Keys(r.Content)), ", ")}
	for _, media := range r.Content {
		_, a.Schema = typeOf(media.Schema)
	}
	return a
}

func fieldsOf(s *huma.Schema) []docsField {
	var fields []docsField
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		typ, schema := typeOf(p)
		fields = append(fields, docsField{Name: name, Type: typ, Schema: schema, Description: p.Description, Required: slices.Contains(s.Required, name)})
	}
	return fields
}

// typeOf puts a schema's type into words; schema is the named one it refers to.
func typeOf(s *huma.Schema) (words, schema string) {
	switch {
	case s == nil:
		return "", ""
	case s.Ref != "":
		return "", s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
	case s.Type == huma.TypeArray:
		inner, schema := typeOf(s.Items)
		return strings.TrimSpace("list of " + inner), schema
	}
	words = s.Type
	if s.Format != "" {
		words += ", " + s.Format
	}
	if len(s.Enum) > 0 {
		var values []string
		for _, v := range s.Enum {
			values = append(values, fmt.Sprint(v))
		}
		words += ": " + strings.Join(values, ", ")
	}
	if s.Minimum != nil && s.Maximum != nil {
		words += fmt.Sprintf(", %g to %s", *s.Minimum, strconv.FormatFloat(*s.Maximum, 'f', -1, 64))
	}
	if s.Default != nil {
		words += fmt.Sprintf(", default %v", s.Default)
	}
	return words, ""
}
