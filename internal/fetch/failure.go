package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"visite/schema"
)

// Failure is the site's trouble: it answered with something that is no answer,
// or not at all. Its text names no address and nothing the site sent.
type Failure struct {
	Reason schema.Reason
	cause  error
}

// Error names the reason alone: causes can quote what the site sent.
func (f *Failure) Error() string { return "fetch: " + string(f.Reason) }

// Unwrap gives the cause to errors.Is.
func (f *Failure) Unwrap() error { return f.cause }

// SiteReason marks the error as the site's trouble.
func (f *Failure) SiteReason() schema.Reason { return f.Reason }

func fail(reason schema.Reason, cause error) *Failure { return &Failure{Reason: reason, cause: cause} }

// siteTrouble is what a round tripper returns when it knows the reason itself.
type siteTrouble interface {
	error
	SiteReason() schema.Reason
}

// judge tells the site's trouble from ours. Errors it does not know are ours.
func judge(ctx context.Context, err error) error {
	var known siteTrouble
	switch {
	case errors.As(err, &known):
		return fail(known.SiteReason(), err)
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("fetch: %w", context.Canceled)
	case errors.Is(ctx.Err(), context.DeadlineExceeded), isTimeout(err):
		return fail(schema.ReasonTimeout, err)
	}
	if reason := networkReason(err); reason != schema.ReasonNone {
		return fail(reason, err)
	}
	return fmt.Errorf("fetch: request could not be sent: %w", err)
}

func isTimeout(err error) bool {
	var timed net.Error
	return errors.Is(err, context.DeadlineExceeded) || (errors.As(err, &timed) && timed.Timeout())
}

func networkReason(err error) schema.Reason {
	var name *net.DNSError
	if errors.As(err, &name) {
		if name.IsNotFound {
			return schema.ReasonNameNotFound
		}
		return schema.ReasonConnection
	}
	if isTLS(err) {
		return schema.ReasonTLS
	}
	var op *net.OpError
	var number syscall.Errno
	switch {
	case errors.As(err, &op), errors.As(err, &number), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, net.ErrClosed):
		return schema.ReasonConnection
	case isProtocol(err):
		return schema.ReasonProtocol
	}
	return schema.ReasonNone
}

func isTLS(err error) bool {
	var (
		record    tls.RecordHeaderError
		verify    *tls.CertificateVerificationError
		alert     tls.AlertError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
	)
	return errors.As(err, &record) || errors.As(err, &verify) || errors.As(err, &alert) ||
		errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid) || strings.Contains(err.Error(), "tls: ")
}

// isProtocol recognises answers that are not HTTP; net/http gives most of these
// errors no type.
func isProtocol(err error) bool {
	text := err.Error()
	for _, sign := range []string{"malformed HTTP", "malformed MIME", "net/http: HTTP/1.x transport connection broken", "http2:", "stream error",
		"PROTOCOL_ERROR", "too many transfer encodings", "unsupported transfer encoding", "bad Content-Length", "invalid Content-Length",
		"server response headers exceeded", "invalid byte in chunk length", "http: suspiciously long", "http: chunk", "server closed idle connection"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}
