#!/usr/bin/env bash
# Runs the tests that failed once more, alone, and passes only if all of them
# do: these tests use real browsers, databases and clocks, and a machine that
# was too busy is told from a fault by this. More than a few failures, a data
# race, a panic or a test that never ended are faults at once.
# Use: second-look.sh FAILURES VERSION TIMEOUT
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

most=4
failures=$1 version=$2 timeout=$3

[ -s "$failures" ] || die "go test failed and named no test"
if grep '^none: ' "$failures" >&2; then
	die "that is no matter of time: no second look"
fi
count=$(wc -l <"$failures")
[ "$count" -le $most ] || die "$count tests failed: no second look at more than $most"

printf '\nA second look at %s failed test(s), each alone:\n' "$count"
sed 's/^/  /' "$failures"
failed=
while read -r package test; do
	go test -json -race -count=1 -timeout "$timeout" -run "^$test\$" "$package" </dev/null |
		go run ./internal/conformance/record -again -version "$version" || failed=yes
done <"$failures"
[ -z "$failed" ] || die "failed twice"
printf 'Passed at the second try only, so look into them:\n'
sed 's/^/  /' "$failures"
