# SPDX-License-Identifier: Apache-2.0
cp -r "$KRON_ROOT/tests/golden/queue" trace
sed -i "s/\"parse\"/\"\\\\u001b[31m a name that is much longer than anybody wants to read\"/" trace/.kron.json
kron report --top 2 trace | head -n 8
