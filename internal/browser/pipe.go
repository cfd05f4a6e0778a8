package browser

import (
	"bufio"
	"fmt"
	"os"
	"sync"
	"time"
)

// writeLimit bounds one write to Chromium: a browser that reads nothing for so
// long is dead, and half a message leaves the pipe of no use.
const writeLimit = 10 * time.Second

// pipe speaks Chromium's debugging protocol over two anonymous pipes, one JSON
// message up to each NUL. No port is opened, so nobody else on the machine can
// drive our browser. It is a cdp.WebSocketable.
type pipe struct {
	mu  sync.Mutex
	out *os.File
	in  *os.File
	buf *bufio.Reader
}

// newPipe returns our ends, and Chromium's ends in the order it expects.
func newPipe() (*pipe, []*os.File, error) {
	toRead, toWrite, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("browser: pipe: %w", err)
	}
	fromRead, fromWrite, err := os.Pipe()
	if err != nil {
		toRead.Close()
		toWrite.Close()
		return nil, nil, fmt.Errorf("browser: pipe: %w", err)
	}
	return &pipe{out: toWrite, in: fromRead, buf: bufio.NewReaderSize(fromRead, 1<<16)}, []*os.File{toRead, fromWrite}, nil
}

// Send writes one message.
func (p *pipe) Send(message []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.out.SetWriteDeadline(time.Now().Add(writeLimit))
	if _, err := p.out.Write(append(message, 0)); err != nil {
		p.out.Close()
		return fmt.Errorf("browser: write to Chromium: %w", err)
	}
	return nil
}

// Read returns the next message.
func (p *pipe) Read() ([]byte, error) {
	m, err := p.buf.ReadBytes(0)
	if err != nil {
		return nil, err
	}
	return m[:len(m)-1], nil
}

// Close closes both of our ends.
func (p *pipe) Close() {
	p.out.Close()
	p.in.Close()
}
