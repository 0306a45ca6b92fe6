# SPDX-License-Identifier: Apache-2.0
# A full disk is an error, on a device and in a pipe's place.
kron export "$KRON_ROOT/tests/golden/export/story" --to csv -o /dev/full; echo "exit $?"
kron export "$KRON_ROOT/tests/golden/export/story" --to chrome -o - > /dev/full; echo "exit $?"
