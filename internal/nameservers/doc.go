// Package nameservers asks the machine's name servers what the records of a
// site's name say about security: who may issue certificates, signatures, IPv6,
// mail. The site itself is asked nothing. What cannot be found out is unknown.
package nameservers
