# SPDX-License-Identifier: Apache-2.0
# What goes on in the background when the program ends is not waited for; it goes on, unmeasured.
kron record -o t -- sh -c '"$KRON_PROGRAMS/kron_triggers" runs 700 >out & sleep 0.3' 2>err
events=$(babeltrace2 t | wc -l)
[ $events -gt 50 ] && [ $events -lt 700 ] && echo a part
for i in $(seq 50); do grep triggered out && break; sleep 0.1; done
