#!/usr/bin/env bash
# The tests where things are missing: no home that can be written, no data, no browser, plain
# ASCII, one core, two processes, random order. As root the tests run as nobody.
#
#     .ci/odd_environments.sh [TESTS ...]
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-.venv/bin/python}
if [ $# -eq 0 ]; then
  set -- tests src
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 1777 "$scratch"
as=()
if [ "$(id -u)" = 0 ]; then
  as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
  # An interpreter in a home that nobody may not enter, as pyenv installs it, is read all the same.
  "${as[@]}" env "$python" -c "" 2>/dev/null ||
    as+=(--inh-caps=+dac_read_search --ambient-caps=+dac_read_search)
fi
core=()
if command -v taskset >/dev/null; then
  core=(taskset --cpu-list 0)
fi
"${as[@]}" env -i PATH="$(dirname "$python"):/usr/bin:/bin" HOME=/nonexistent LC_ALL=C \
  TMPDIR="$scratch" PYTHONPATH="${PYTHONPATH:-}" PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 \
  "${core[@]}" "$python" -m pytest -q -n 2 -m "not slow and not browser" -p no:cacheprovider \
  --basetemp "$scratch/pytest" "$@"
