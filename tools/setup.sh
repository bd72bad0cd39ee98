#!/bin/sh
# Makes .venv and brings the browser modules; a second call finds its stamps and takes no time.
#   tools/setup.sh PYTHON [dev]
#   tools/setup.sh PYTHON judges   brings the programs that only `make judges` needs to build/judges
set -eu
cd "$(dirname "$0")/.."
python=$1
kind=${2:-run}
stamps=.setup

fail() {
    echo "lineup: $*" >&2
    exit 1
}

stamp_of() {
    cksum "$@" | cksum | tr ' ' '-'
}

command -v "$python" >/dev/null 2>&1 ||
    fail "Python 3.11 or later is needed, and there is no “$python” here (make PYTHON=… names another)."
"$python" -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else 1)' ||
    fail "Python 3.11 or later is needed; “$python” is $("$python" -c 'import platform; print(platform.python_version())') (make PYTHON=… names another)."
command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 ||
    fail "Node 20 or later with npm is needed to bring the browser modules, and there is none here."
node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' ||
    fail "Node 20 or later is needed; this one is $(node --version)."

mkdir -p "$stamps"

bring_python() {
    requirements=requirements.txt compile=
    # Tests need a part of the packages; each module is compiled when it is imported first.
    [ "$kind" = dev ] && requirements=requirements-dev.txt compile=--no-compile
    wanted=$(stamp_of requirements.txt "$requirements")
    [ "$(cat "$stamps/python-$kind" 2>/dev/null)" != "$wanted" ] || [ ! -x .venv/bin/python ] || return 0
    echo "lineup: installing the Python packages of $requirements" >&2
    [ -x .venv/bin/python ] || "$python" -m venv .venv ||
        fail "the virtual environment could not be made (on Debian: the package python3-venv)."
    .venv/bin/python -m pip install --quiet --disable-pip-version-check $compile -r "$requirements" ||
        fail "the Python packages could not be installed; pip says why above."
    echo "$wanted" >"$stamps/python-$kind"
    # The packages for tests include the packages to run.
    [ "$kind" = run ] || stamp_of requirements.txt requirements.txt >"$stamps/python-run"
}

bring_browser() {
    wanted=$(stamp_of package.json package-lock.json tools/vendor.mjs)
    [ "$(cat "$stamps/browser-$kind" 2>/dev/null)" != "$wanted" ] || [ ! -d static/vendor ] || return 0
    echo "lineup: bringing the browser modules" >&2
    # The modules for tests are three times as large.
    [ "$kind" = dev ] && omitted= || omitted=--omit=dev
    npm ci --silent --no-audit --no-fund $omitted || fail "the browser modules could not be brought; npm says why above."
    node tools/vendor.mjs
    rm -f "$stamps"/browser*
    echo "$wanted" >"$stamps/browser-run"
    [ "$kind" = run ] || echo "$wanted" >"$stamps/browser-dev"
}

bring_judges() {
    from=bench/judges to=build/judges
    wanted=$(stamp_of $from/requirements.txt $from/package.json $from/package-lock.json)
    [ "$(cat "$stamps/judges" 2>/dev/null)" != "$wanted" ] || [ ! -d $to ] || return 0
    echo "lineup: bringing the programs of the judges" >&2
    rm -rf $to
    mkdir -p $to
    cp $from/package.json $from/package-lock.json .npmrc $to
    "$python" -m venv $to/python &&
        $to/python/bin/python -m pip install --quiet --disable-pip-version-check -r $from/requirements.txt ||
        fail "the judges' Python packages could not be installed; pip says why above."
    (cd $to && npm ci --silent --no-audit --no-fund) ||
        fail "the judges' packages of Node could not be brought; npm says why above."
    echo "$wanted" >"$stamps/judges"
}

if [ "$kind" = judges ]; then
    bring_judges
    exit 0
fi

bring_browser &
browser=$!
(bring_python) && python_failed= || python_failed=1
wait $browser || exit 1
[ -z "$python_failed" ] || exit 1

# Quick if nothing changed. Keeps the served files equal to static/.
node tools/bundle.mjs --if-changed || fail "the browser's files could not be built; esbuild says why above."
