# SPDX-License-Identifier: Apache-2.0
# A process without a recorder, and one that does not use libkron.
sleep 10 & pid=$!
kron filter $pid 2>&1 | sed "s/$pid/PID/"
kill $pid
kron record -o t -- sh -c 'echo $$ > pid; exec sleep 10' 2>err &
for i in $(seq 100); do [ -s pid ] && break; sleep 0.05; done
pid=$(cat pid)
kron filter $pid 2>&1 | sed "s/$pid/PID/"
kill $pid; wait
