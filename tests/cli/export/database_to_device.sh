# SPDX-License-Identifier: Apache-2.0
# SQLite has to seek.
kron export "$KRON_ROOT/tests/golden/export/story" --to sqlite -o /dev/null
