#!/usr/bin/env bash
# The static checks. All of them run, then the outcome is told, so that one run
# shows everything there is to mend.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

staticcheck_version=v0.8.2
workflowcheck_version=v0.6.0
govulncheck_version=v1.9.0

not_here=77 # a check's way to say that it could not be made here

failed=()
check() { # name command...
	local name=$1 began=$SECONDS
	shift
	local rc=0
	"$@" || rc=$?
	case $rc in
	0) say "$name" "ok ($((SECONDS - began)) s)" ;;
	$not_here) say "$name" "SKIPPED: what it needs cannot be reached from here" ;;
	*)
		say "$name" "FAILED"
		failed+=("$name")
		;;
	esac
}

format_check() {
	local unformatted
	unformatted=$(git ls-files -z --cached --others --exclude-standard '*.go' | xargs -0 -r gofmt -l) || return 1
	[ -z "$unformatted" ] || { printf 'not formatted, run gofmt -w:\n%s\n' "$unformatted"; return 1; }
}

# Exit 3 means vulnerabilities that our code reaches; anything else is trouble
# with the tool or its database, which lives on the network.
vulnerability_check() {
	local out rc=0
	out=$("$tools/govulncheck" ./... 2>&1) || rc=$?
	case $rc in
	0) return 0 ;;
	3) printf '%s\n' "$out"; return 1 ;;
	esac
	if grep -qiE 'vuln\.go\.dev|fetching vulnerabilities|dial tcp|no such host|proxyconnect|connection refused|timeout' <<<"$out"; then
		return $not_here
	fi
	printf '%s\n' "$out"
	return 1
}

# Of each chain of calls the first two links are enough to find the place.
workflow_check() {
	local out rc=0
	out=$("$tools/workflowcheck" ./workflows/... 2>&1) || rc=$?
	grep -v '^    ' <<<"$out" | uniq || true
	return $rc
}

"$root/deployments/setup/tool.sh" honnef.co/go/tools/cmd/staticcheck honnef.co/go/tools $staticcheck_version
"$root/deployments/setup/tool.sh" go.temporal.io/sdk/contrib/tools/workflowcheck go.temporal.io/sdk/contrib/tools/workflowcheck $workflowcheck_version
"$root/deployments/setup/tool.sh" golang.org/x/vuln/cmd/govulncheck golang.org/x/vuln $govulncheck_version

check gofmt format_check
check vet go vet ./...
check staticcheck "$tools/staticcheck" ./...
check workflowcheck workflow_check
check govulncheck vulnerability_check

if [ ${#failed[@]} -gt 0 ]; then
	printf '\nlint: failed: %s\n' "${failed[*]}" >&2
	exit 1
fi
