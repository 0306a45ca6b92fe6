# SPDX-License-Identifier: Apache-2.0
# A signal in the middle of a script: what was collected is in the trace.
mkfifo pipe
kron chip multikron --trace t pipe &
exec 3>pipe
printf 'write 4 1\nwrite 1 1\nwrite 96 7\nclock 100\nread 6\n' >&3
sleep 0.5; kill -TERM $!; wait $!; echo "exit $?"
babeltrace2 t | wc -l
