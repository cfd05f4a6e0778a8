package courtesy

// ForgetNames makes the next visit resolve its name anew.
func (d *Door) ForgetNames() {
	d.names.mu.Lock()
	defer d.names.mu.Unlock()
	clear(d.names.known)
}
