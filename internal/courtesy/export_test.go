package courtesy

import (
	"context"
	"net"
)

// ServeAs has public visits' connections to hostport go to an address of this
// machine, so that a test can be a site of the internet. For every other host a
// name lives no longer than one look-up: whatever was judged before is looked up
// again when it is connected to.
func (d *Door) ServeAs(hostport, address string) {
	t := d.transports[reachPublic]
	dial := t.DialContext
	t.DialContext = func(ctx context.Context, network, target string) (net.Conn, error) {
		if target == hostport {
			var nd net.Dialer
			return nd.DialContext(ctx, "tcp", address)
		}
		d.names.mu.Lock()
		clear(d.names.known)
		d.names.mu.Unlock()
		return dial(ctx, network, target)
	}
}
