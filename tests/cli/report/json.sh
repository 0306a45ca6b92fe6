# SPDX-License-Identifier: Apache-2.0
kron report --json "$KRON_ROOT/tests/golden/queue" >all || exit
# The path is that of this machine.
sed "s|\"trace\": \".*/tests|\"trace\": \"tests|" all
