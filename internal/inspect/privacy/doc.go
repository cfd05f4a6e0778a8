// Package privacy judges whom a page contacts and what it leaves in the browser
// before anybody chose, what it goes on with after consent was refused, and what
// it owes to visitors: an imprint, a privacy notice, forms that nobody can read
// on the way. It names hosts by their registrable domain and owners from a closed
// list; values of cookies and storage never reach it.
package privacy
