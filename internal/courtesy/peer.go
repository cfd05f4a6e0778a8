package courtesy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
)

// A run's proxy listens on this machine while a pass is open. Chromium can send no
// password to it without having each of its requests held up, so the proxy asks
// the kernel who is at the other end: other users of the machine are turned away.
// What runs as our own user could reach us in easier ways.

// tcpTable is where Linux lists connections over IPv4.
const tcpTable = "/proc/net/tcp"

type peerKey struct{}

// withPeer has a connection's user found out when its first request needs it.
func withPeer(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, sync.OnceValue(func() bool { return isOurUser(c) }))
}

// fromOurUser reports whether a request to the proxy comes from a process of the
// user we run as; also where the system does not tell.
func fromOurUser(ctx context.Context) bool {
	known, ok := ctx.Value(peerKey{}).(func() bool)
	return ok && known()
}

func isOurUser(c net.Conn) bool {
	table, err := os.Open(tcpTable)
	if err != nil { // not Linux
		return true
	}
	defer table.Close()
	from, errFrom := netip.ParseAddrPort(c.RemoteAddr().String())
	to, errTo := netip.ParseAddrPort(c.LocalAddr().String())
	if errFrom != nil || errTo != nil {
		return false
	}
	uid, told := userOf(table, from, to)
	return !told || uid == fmt.Sprint(os.Getuid())
}

// userOf looks up who holds the far end of a connection, as the kernel writes it
// (Documentation/networking/proc_net_tcp): the user in the eighth column. told is
// false where the table does not even hold our own end; an end that is missing
// beside ours is nobody's any more.
func userOf(table io.Reader, from, to netip.AddrPort) (uid string, told bool) {
	far, near := kernelAddress(from), kernelAddress(to)
	for lines := bufio.NewScanner(table); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) < 8:
		case fields[1] == far && fields[2] == near:
			return fields[7], true
		case fields[1] == near && fields[2] == far:
			told = true
		}
	}
	return "", told
}

// kernelAddress is an IPv4 address and port in hexadecimal, the address as the
// machine keeps it: its octets from the last to the first on the machines we run on.
func kernelAddress(a netip.AddrPort) string {
	b := a.Addr().Unmap().As4()
	return fmt.Sprintf("%02X%02X%02X%02X:%04X", b[3], b[2], b[1], b[0], a.Port())
}
