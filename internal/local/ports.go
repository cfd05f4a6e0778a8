package local

import (
	"fmt"
	"net"
	"strconv"
)

// ports are the loopback ports the stack listens on, remembered between runs so
// that bookmarks to the Web UI and the API stay good.
type ports struct {
	API      int `json:"api"`
	Temporal int `json:"temporal"`
	UI       int `json:"ui"`
	Postgres int `json:"postgres"`
}

// choosePorts takes the remembered ports where they are free, others where not.
func (f Folder) choosePorts() (ports, error) {
	p := ports{API: 8480, Temporal: 7243, UI: 8243, Postgres: 5443}
	if err := readJSON(f.portsFile(), &p); err != nil {
		return ports{}, err
	}
	var held []net.Listener
	defer func() {
		for _, l := range held {
			l.Close()
		}
	}()
	for _, port := range []*int{&p.API, &p.Temporal, &p.UI, &p.Postgres} {
		l, err := net.Listen("tcp", loopback(*port))
		if err != nil {
			l, err = net.Listen("tcp", loopback(0))
		}
		if err != nil {
			return ports{}, fmt.Errorf("no free port on loopback: %w", err)
		}
		held = append(held, l)
		*port = l.Addr().(*net.TCPAddr).Port
	}
	return p, writeJSON(f.portsFile(), p)
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
