#!/usr/bin/env bash
# Installs one pinned Go tool into .tools/bin unless it is there in just that
# version. Use: tool.sh PACKAGE MODULE VERSION
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

package=$1 module=$2 version=$3 name=${1##*/}
if module_at "$tools/$name" "$module" "$version"; then
	exit 0
fi
say "$name" "installing $version into .tools/bin"
mkdir -p "$tools"
(cd / && GOFLAGS= GOBIN="$tools" go install "$package@$version")
