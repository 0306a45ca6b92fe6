# SPDX-License-Identifier: Apache-2.0
cp -r "$KRON_ROOT/tests/golden/queue" trace
kron report --csv trace
