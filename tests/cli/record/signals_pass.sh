# SPDX-License-Identifier: Apache-2.0
# TERM and HUP go on to the program; what nohup ignores stays ignored.
kron record -o t -- sh -c 'trap "echo got TERM; exit 3" TERM; echo ready > ready; while :; do sleep 0.1; done' &
for i in $(seq 50); do [ -s ready ] && break; sleep 0.1; done
kill -TERM $!; wait $!; echo "exit $?"
(trap '' HUP; kron record -o t -- grep SigIgn /proc/self/status) | sed 's/.*\(.\)$/\1/'
kron record -o t -- grep SigIgn /proc/self/status | sed 's/.*\(.\)$/\1/'
