#!/usr/bin/env bash
# Builds the archive that is uploaded to Gradescope: scripts/autograder/build.sh autograder.zip [SCHEME.yaml]
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
out="$(realpath -m "${1:?name the archive: build.sh autograder.zip [SCHEME.yaml]}")"
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
python="${PYTHON:-python3}"
[ -n "${2:-}" ] && cp "$2" "$place/scheme.yaml"
"$python" -m build --wheel --outdir "$place" "$here/../.." >/dev/null
rm -f "$place/.gitignore"
cp "$here/setup.sh" "$here/run_autograder" "$here/Dockerfile" "$place"
(cd "$place" && "$python" -m zipfile -c "$out" ./*)
echo "$out"
