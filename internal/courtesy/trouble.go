package courtesy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"

	"visite/schema"
)

// Trouble is the site's trouble as an error: why a request brought no answer.
// It names no address and carries no text of the site.
type Trouble struct {
	Reason schema.Reason
	Words  string // for people; may be empty
}

// Error makes Trouble an error.
func (t *Trouble) Error() string {
	if t.Words == "" {
		return string(t.Reason)
	}
	return string(t.Reason) + ": " + t.Words
}

// SiteReason tells errors of the site from our own.
func (t *Trouble) SiteReason() schema.Reason { return t.Reason }

// errClosed: somebody used a pass after Leave, or after its turn lapsed.
var errClosed = errors.New("courtesy: the visit is over")

// reasonOf sorts what the transport reports. handshake tells that TLS had begun
// and not ended well.
func reasonOf(err error, handshake bool) schema.Reason {
	var (
		trouble *Trouble
		dns     *net.DNSError
		timeout interface{ Timeout() bool }
	)
	switch {
	case errors.As(err, &trouble):
		return trouble.Reason
	case errors.Is(err, context.Canceled), errors.Is(err, errClosed):
		return schema.ReasonCancelled
	case errors.Is(err, context.DeadlineExceeded):
		return schema.ReasonTimeout
	case errors.As(err, &dns):
		if dns.IsNotFound {
			return schema.ReasonNameNotFound
		}
		if dns.IsTimeout {
			return schema.ReasonTimeout
		}
		return schema.ReasonConnection
	case errors.As(err, &timeout) && timeout.Timeout():
		return schema.ReasonTimeout
	case isTLS(err), handshake:
		return schema.ReasonTLS
	case isProtocol(err):
		return schema.ReasonProtocol
	default:
		return schema.ReasonConnection
	}
}

func isTLS(err error) bool {
	var (
		alert     tls.AlertError
		header    tls.RecordHeaderError
		verify    *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
		host      x509.HostnameError
	)
	return errors.As(err, &alert) || errors.As(err, &header) || errors.As(err, &verify) ||
		errors.As(err, &authority) || errors.As(err, &invalid) || errors.As(err, &host) ||
		strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

// isProtocol goes by net/http's words: it has no types for an answer that is no
// HTTP.
func isProtocol(err error) bool {
	text := err.Error()
	for _, words := range []string{"malformed", "net/http: HTTP/1.x transport connection broken", "exceeded", "invalid header", "bad Content-Length", "http2:", "stream error", "unsupported transfer encoding", "too many transfer encodings"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}
