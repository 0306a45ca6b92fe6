# SPDX-License-Identifier: Apache-2.0
# Without DIR it is kron.data.
cp -r "$KRON_ROOT/tests/golden/export/story" kron.data
kron export -o out
ls
