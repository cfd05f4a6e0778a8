package config

import "log/slog"

// hidden is all that is ever printed of a secret.
const hidden = "***"

// Secret is a value that is used but never shown: printing, logging and
// marshalling it give "***", or nothing where it is empty.
type Secret string

// Reveal returns the value itself, for handing to what needs it.
func (s Secret) Reveal() string { return string(s) }

// String hides the value (fmt.Stringer).
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// GoString hides the value from %#v (fmt.GoStringer).
func (s Secret) GoString() string { return s.String() }

// MarshalText hides the value from JSON, YAML and other encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON hides the value from JSON (json.Marshaler).
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + s.String() + `"`), nil }

// LogValue hides the value from logs (slog.LogValuer).
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
