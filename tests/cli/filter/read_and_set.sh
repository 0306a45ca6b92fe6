# SPDX-License-Identifier: Apache-2.0
# The register of a running program, read and set.
kron record -g 0-3 -o t -- "$KRON_PROGRAMS/kron_triggers" runs 100000 > out 2>err &
for i in $(seq 100); do grep -q pid out && break; sleep 0.05; done
pid=$(sed -n 's/pid //p' out)
kron filter $pid
kron filter $pid none
kron filter $pid
sleep 0.3; before=$(stat -c %s t/stream_0); sleep 0.3; after=$(stat -c %s t/stream_0)
[ $before = $after ] && echo silent
kron filter $pid 1,4-6
kron filter $pid
sleep 0.5; [ $(stat -c %s t/stream_0) -gt $after ] && echo going on
kron filter $pid all
kill -KILL $pid; wait
kron filter $pid 2>&1 | sed "s/$pid/PID/"
