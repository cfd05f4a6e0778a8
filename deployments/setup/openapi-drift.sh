#!/usr/bin/env bash
# Fails where api/openapi.yaml is not what the code says.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT
go run ./cmd/visite openapi >"$fresh"
if ! diff -u api/openapi.yaml "$fresh"; then
	printf '\napi/openapi.yaml is not what the code says; run: make generate\n' >&2
	exit 1
fi
say openapi "api/openapi.yaml is what the code says"
