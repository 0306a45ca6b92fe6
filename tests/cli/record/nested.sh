# SPDX-License-Identifier: Apache-2.0
# A recorder under a recorder: the inner one measures.
kron record -o outer -- kron record -o inner -- "$KRON_PROGRAMS/kron_triggers" threads 1 10 2>/dev/null
babeltrace2 outer | wc -l
babeltrace2 inner | wc -l
