# SPDX-License-Identifier: Apache-2.0
# The program's own exit code; 128 and the number for a signal.
kron record -- sh -c 'exit 0'; echo $?
kron record -- sh -c 'exit 42'; echo $?
kron record -- sh -c 'kill -TERM $$'; echo $?
kron record -- sh -c 'kill -KILL $$'; echo $?
kron record -- "$KRON_PROGRAMS/kron_triggers" exit 7; echo $?
