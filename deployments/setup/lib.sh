# Shared by the setup scripts: where things are, how to say what happens, and
# how to install a distribution's packages. To be sourced by bash.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tools="$root/.tools/bin"
export PATH="$PATH:/usr/local/go/bin:${HOME:-/root}/go/bin" # where Go is put by hand

say() { printf '%-12s %s\n' "$1" "$2"; }
skip() { say "$1" "present: $2"; }
die() {
	printf '\nsetup: %s\n' "$1" >&2
	exit 1
}

# as_root runs a command with the rights to install packages.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "this step needs root and there is no sudo; run as root: $*"
	fi
}

apt_updated=
apt_install() {
	command -v apt-get >/dev/null || die "no apt-get here; install by hand: $*"
	if [ -z "$apt_updated" ]; then
		say packages "reading the distribution's package lists"
		as_root apt-get update -qq || die "the package lists could not be read; is the network there?"
		apt_updated=yes
	fi
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		-o DPkg::Lock::Timeout=300 "$@" </dev/null || die "the distribution could not install: $*"
}

# apt_try installs what can be done without: it gives up soon, and ends nothing.
# Only the download is cut short: an installation that is cut short breaks the next.
apt_try() (
	quick="-qq -o Acquire::Retries=0 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20 -o DPkg::Lock::Timeout=60"
	install() {
		as_root env DEBIAN_FRONTEND=noninteractive timeout 180 apt-get install -y --no-install-recommends --download-only $quick "$@" </dev/null &&
			as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $quick "$@" </dev/null
	}
	install "$@" 2>/dev/null || { as_root timeout 60 apt-get update $quick && install "$@"; }
) >/dev/null 2>&1

# apt_candidate prints the version apt would install, nothing if none.
apt_candidate() {
	apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: //p' | grep -v '^(none)$' || true
}

# first_of prints the path of the first command that exists.
first_of() {
	local c
	for c in "$@"; do
		if command -v "$c" 2>/dev/null; then return 0; fi
	done
	return 1
}

# module_at tells whether a Go binary was built from module@version.
module_at() { # file module version
	[ -x "$1" ] && go version -m "$1" 2>/dev/null | grep -q "^	mod	$2	$3\b"
}
