package config

import (
	"fmt"
	"log/slog"
	"reflect"
	"time"
)

// Variable tells of one environment variable.
type Variable struct {
	Name    string `json:"name"`    // with Prefix
	Type    string `json:"type"`    // text, whole number, yes or no, log level
	Default string `json:"default"` // empty: none
	Meaning string `json:"meaning"`
	Secret  bool   `json:"secret"`
}

// Describe lists every variable Load reads, in a reading order.
func Describe() []Variable {
	t := reflect.TypeFor[Config]()
	list := make([]Variable, t.NumField())
	for i := range list {
		f := t.Field(i)
		list[i] = Variable{
			Name:    Prefix + f.Tag.Get("env"),
			Type:    typeName(f.Type),
			Default: f.Tag.Get("envDefault"),
			Meaning: f.Tag.Get("doc"),
			Secret:  f.Type == reflect.TypeFor[Secret](),
		}
	}
	return list
}

// Values gives each variable's value in c by its name, secrets hidden.
func (c Config) Values() map[string]string {
	v := reflect.ValueOf(c)
	values := make(map[string]string, v.NumField())
	for i := range v.NumField() {
		values[Prefix+v.Type().Field(i).Tag.Get("env")] = fmt.Sprint(v.Field(i).Interface())
	}
	return values
}

func typeName(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[slog.Level]():
		return "log level"
	case t == reflect.TypeFor[time.Duration]():
		return "duration (30s, 5m)"
	case t.Kind() == reflect.Int:
		return "whole number"
	case t.Kind() == reflect.Bool:
		return "yes or no (true, false)"
	default:
		return "text"
	}
}
