#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image: Python, and the wheel that lies beside this file.
set -euo pipefail
source="$(cd "$(dirname "$0")" && pwd)"
root="${AUTOGRADER_ROOT:-/autograder}"
python="$(command -v python3.13 || command -v python3.12 || command -v python3.11 || true)"
if [ -z "$python" ] || ! "$python" -m venv --help >/dev/null 2>&1; then
    apt-get update
    apt-get install -y python3.11 python3.11-venv
    python="$(command -v python3.11)"
fi
"$python" -m venv "$root/venv"
wheel="$(echo "$source"/planetwars_env-*.whl)"
"$root/venv/bin/pip" install --no-cache-dir "$wheel"
"$root/venv/bin/planetwars" rank ai1 ai2 --graphs duel --games 2 --out "$(mktemp -d)" # compiles what a game needs
