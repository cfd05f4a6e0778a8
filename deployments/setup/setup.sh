#!/usr/bin/env bash
# Installs what Visite needs on a Debian or Ubuntu machine. Each step says what
# it does and is skipped when its thing is there. Use: setup.sh [run|test]
#   run   (default) what building and running needs
#   test  besides, a C compiler for Go's race detector
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

temporal_module=github.com/temporalio/cli
temporal_version=v1.5.1
scripts="$root/internal/browser/scripts"

# Any Go from 1.21 on fetches by itself the version go.mod asks for.
go_step() {
	local have want candidate
	want=$(sed -n 's/^go //p' "$root/go.mod")
	if ! command -v go >/dev/null; then
		apt_updated= candidate=$(apt_candidate golang-go)
		if [ -z "$candidate" ]; then
			as_root apt-get update -qq && apt_updated=yes
			candidate=$(apt_candidate golang-go)
		fi
		candidate=${candidate#*:}
		if printf '1.21\n%s\n' "${candidate:-0}" | sort -V -C; then
			say go "installing golang-go ${candidate} from the distribution; it fetches Go $want on first use"
			apt_install golang-go ca-certificates
		else
			die "Go is missing and this distribution has ${candidate:-none}, older than 1.21.
Install Go $want or later as https://go.dev/doc/install says, put it on PATH, and run make again."
		fi
	fi
	have=$(cd / && go env GOVERSION) && have=${have#go}
	printf '1.21\n%s\n' "$have" | sort -V -C || die "Go $have is too old to fetch Go $want by itself.
Install Go $want or later as https://go.dev/doc/install says, put it before the old one on PATH, and run make again."
	(cd "$root" && go version >/dev/null) || die "Go $have could not fetch Go $want, which go.mod asks for.
Install Go $want or later as https://go.dev/doc/install says, or unset GOTOOLCHAIN if it is 'local'."
	skip go "$(cd "$root" && go env GOVERSION) ($(command -v go))"
}

chromium_step() {
	local found
	found=${VISITE_CHROMIUM:-$(first_of chromium chromium-browser google-chrome-stable google-chrome || true)}
	if [ -z "$found" ]; then
		say chromium "installing from the distribution"
		[ -n "$(apt_candidate chromium)$(apt_candidate chromium-browser)" ] || apt_install ca-certificates
		if [ -n "$(apt_candidate chromium)" ]; then
			apt_install chromium fonts-liberation
		else
			apt_install chromium-browser fonts-liberation
		fi
		found=$(first_of chromium chromium-browser) || die "Chromium was installed but is not on PATH"
	fi
	"$found" --version >/dev/null 2>&1 || die "$found does not start. Where the distribution ships Chromium as a snap and snaps do not
run (containers), install another Chromium or Chrome and name it in VISITE_CHROMIUM."
	skip chromium "$("$found" --version 2>/dev/null | head -1) ($found)"
}

postgres_bin() {
	local d
	if [ -n "${VISITE_POSTGRES_BIN:-}" ]; then
		echo "$VISITE_POSTGRES_BIN"
		return
	fi
	if d=$(command -v initdb 2>/dev/null); then
		dirname "$d"
		return
	fi
	for d in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -rV); do
		if [ -x "$d/initdb" ]; then
			echo "$d"
			return
		fi
	done
}

# The distribution's package makes and starts a cluster of its own; we want its
# programs only, so that is switched off while it is being installed.
postgres_step() {
	local conf=/etc/postgresql-common/createcluster.d/visite-setup.conf
	if [ -z "$(postgres_bin)" ]; then
		say postgresql "installing the programs from the distribution (no system-wide cluster is made)"
		apt_install postgresql-common
		as_root mkdir -p "$(dirname "$conf")"
		echo 'create_main_cluster = false' | as_root tee "$conf" >/dev/null
		local failed=
		(apt_install postgresql) || failed=yes
		as_root rm -f "$conf"
		[ -z "$failed" ] || exit 1
		[ -n "$(postgres_bin)" ] || die "PostgreSQL was installed but initdb is not where it should be"
	fi
	skip postgresql "$("$(postgres_bin)/postgres" --version) ($(postgres_bin))"
}

temporal_step() {
	local candidate
	for candidate in "${VISITE_TEMPORAL:-}" "$tools/temporal" "$(command -v temporal || true)" "$(go env GOPATH)/bin/temporal"; do
		if [ -n "$candidate" ] && module_at "$candidate" $temporal_module $temporal_version; then
			skip temporal "CLI $temporal_version ($candidate)"
			return
		fi
	done
	say temporal "building the Temporal CLI $temporal_version into .tools/bin (some minutes, once)"
	mkdir -p "$tools"
	(cd / && GOFLAGS= GOBIN="$tools" go install "$temporal_module/cmd/temporal@$temporal_version") ||
		die "the Temporal CLI could not be built; is the network there?"
	skip temporal "CLI $temporal_version ($tools/temporal)"
}

# The page scripts come as exact versions by lock file and are bundled into the
# binary; no script of a package runs while installing.
scripts_step() {
	local lock="$scripts/package-lock.json" done="$scripts/node_modules/.package-lock.json"
	if [ ! -e "$done" ] || [ "$lock" -nt "$done" ]; then
		if ! command -v npm >/dev/null; then
			say npm "installing nodejs and npm from the distribution"
			apt_install nodejs npm
		fi
		say scripts "installing the page scripts named in package-lock.json"
		npm ci --ignore-scripts --no-audit --no-fund --silent --prefix "$scripts" </dev/null ||
			die "npm ci failed in internal/browser/scripts"
		touch "$done"
	else
		skip scripts "page scripts as in package-lock.json"
	fi
	if bundle_stale "$done"; then
		say bundle "bundling the page scripts for the binary"
		(cd "$root" && go run ./internal/browser/scripts/bundle) || die "bundling the page scripts failed"
	else
		skip bundle "page scripts bundled"
	fi
}

# bundle_stale: no bundle yet, or one older than what it was made from.
bundle_stale() { # stamp of the installed packages
	local oldest
	oldest=$(find "$scripts/dist" -name '*.js' -printf '%T@ %p\n' 2>/dev/null | sort -n | head -1 | cut -d' ' -f2-)
	[ -n "$oldest" ] || return 0
	[ -n "$(find "$scripts" \( -name node_modules -o -name dist \) -prune -o -type f -newer "$oldest" -print | head -1)" ] ||
		[ "$1" -nt "$oldest" ]
}

# lists_step: EasyPrivacy and EasyList as the distribution has them. Trackers are
# judged by names alone without them, so a machine that cannot have them goes on.
lists_step() {
	local package=webext-ublock-origin-chromium
	local folder=/usr/share/chromium/extensions/ublock-origin/assets/thirdparties/easylist
	if [ -e "$folder/easyprivacy.txt" ] && [ -e "$folder/easylist.txt" ]; then
		skip lists "EasyPrivacy and EasyList ($folder)"
	elif [ -z "$(apt_candidate $package)" ]; then
		say lists "not offered here ($package): trackers are judged by names alone"
	else
		say lists "installing $package for EasyPrivacy and EasyList (the system's Chromium gets the extension, Visite's runs without it)"
		apt_try $package || say lists "could not be installed: trackers are judged by names alone"
	fi
}

compiler_step() {
	if ! command -v gcc >/dev/null; then
		say compiler "installing gcc for the race detector"
		apt_install gcc libc6-dev
	fi
	skip compiler "$(gcc --version | head -1)"
}

go_step
[ "${1:-run}" = run ] || compiler_step
chromium_step
postgres_step
temporal_step
scripts_step
lists_step
