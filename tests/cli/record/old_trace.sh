# SPDX-License-Identifier: Apache-2.0
# An older trace becomes .old, and the one before that goes; an empty directory is used.
mkdir t
for i in 1 2 3; do kron record -o t -- "$KRON_PROGRAMS/kron_triggers" exit $i; done
babeltrace2 t | wc -l
babeltrace2 t.old | wc -l
ls
