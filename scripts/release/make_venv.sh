#!/bin/sh
# Makes or renews a virtual environment: scripts/release/make_venv.sh FOLDER CONSTRAINTS EXTRAS [PYTHON]
# One that was left half made is made anew, one that is sound is brought up to date in place.
set -eu
folder=$1
constraints=$2
extras=$3
wanted=${4:-}

fail() {
    echo "$1" >&2
    exit 1
}

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

version() { "$1" -c 'import sys; print(*sys.version_info[:3], sep=".")' 2>/dev/null; }

# The system's own python3 comes first: wheels are most often at hand for it.
pick_python() {
    for candidate in ${wanted:+"$wanted"} python3 python3.13 python3.12 python3.11; do
        if is_new_enough "$candidate"; then
            echo "$candidate"
            return
        fi
        [ -z "$wanted" ] || break
    done
    found=${wanted:-python3}
    what=$(version "$found") && what="version $what" || what="missing"
    fail "planetwars-env needs Python 3.11 or newer, and $found is $what: install one or name it, as in 'make PYTHON=/path/to/python3.12'."
}

python=$(pick_python)
"$python" -c 'import ensurepip, venv' >/dev/null 2>&1 || fail \
    "$python has no venv module: install it (on Debian and Ubuntu: 'apt-get install python3-venv') or name another Python, as in 'make PYTHON=/path/to/python3.12'."

inside=$folder/bin/python
if [ -e "$folder/.unfinished" ] || ! "$inside" -m pip --version >/dev/null 2>&1 || ! is_new_enough "$inside" ||
    { [ -n "$wanted" ] && [ "$(version "$inside")" != "$(version "$python")" ]; }; then
    rm -rf "$folder"
    mkdir "$folder"
    touch "$folder/.unfinished"
    echo "Setting up $folder with Python $(version "$python"); this takes a few minutes at most ..."
    "$python" -m venv "$folder"
else
    echo "Bringing $folder up to date ..."
fi
touch "$folder/.unfinished"
rm -f "$folder"/.ready-*
"$inside" -m pip install -qq --disable-pip-version-check --constraint "$constraints" --editable ".[$extras]"
rm "$folder/.unfinished"
