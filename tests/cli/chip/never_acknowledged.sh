# SPDX-License-Identifier: Apache-2.0
# An access that waits for ever is reported, and what was collected is kept.
printf 'write 4 1\nwrite 1 5\nwrite 96 7\nclock 100\nsamples\nnetrdy 0\nwrite 112 1\nwrite 112 2\n' > s.chip
kron chip multikron --trace t s.chip
echo "exit $?"
babeltrace2 t 2>&1 | wc -l
