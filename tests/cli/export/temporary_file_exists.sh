# SPDX-License-Identifier: Apache-2.0
# It may be somebody's.
echo mine > out.tmp
kron export "$KRON_ROOT/tests/golden/export/story" -o out; echo "exit $?"
cat out.tmp
