# SPDX-License-Identifier: Apache-2.0
# The old trace survives any number of mistyped names.
kron record -- "$KRON_PROGRAMS/kron_triggers" threads 1 10
for i in 1 2 3; do kron record -- ./mistyped; done
babeltrace2 kron.data | wc -l
ls -a
