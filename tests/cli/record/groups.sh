# SPDX-License-Identifier: Apache-2.0
# Groups as people type them.
for groups in all none 0 15 0-3,7 7,0-3 0x8f 0-15 1,1,1 0x0; do
	printf '%s: ' "$groups"
	kron record -g "$groups" -o t -- "$KRON_PROGRAMS/kron_triggers" filters | head -1
done
