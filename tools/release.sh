#!/bin/sh
# Builds a release into dist/: the wheel, the source archive, lists of what is inside (CycloneDX), and checksums.
set -eu
cd "$(dirname "$0")/.."
sh tools/setup.sh python3 dev
rm -rf dist build/release
.venv/bin/python -m build --outdir dist

# What pip installs with the wheel, listed by a tool of an environment of its own.
.venv/bin/python -m venv build/release/lineup
.venv/bin/python -m venv build/release/tool
build/release/lineup/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
build/release/tool/bin/python -m pip install --quiet --disable-pip-version-check cyclonedx-bom==7.5.0
build/release/tool/bin/cyclonedx-py environment --output-reproducible -o dist/lineup-python.cdx.json \
    build/release/lineup/bin/python
npm sbom --omit=dev --sbom-format=cyclonedx >dist/lineup-page.cdx.json

(cd dist && sha256sum ./* >SHA256SUMS)
cat dist/SHA256SUMS
