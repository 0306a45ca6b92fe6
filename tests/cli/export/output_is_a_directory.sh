# SPDX-License-Identifier: Apache-2.0
mkdir out
kron export "$KRON_ROOT/tests/golden/export/story" -o out
