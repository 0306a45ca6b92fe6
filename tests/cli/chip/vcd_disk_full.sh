# SPDX-License-Identifier: Apache-2.0
# A full disk is told once; the trace beside it is complete.
printf 'write 4 1\nwrite 1 1\nwrite 96 7\nclock 100\n' > s.chip; for i in 1 2 3 4 5 6 7 8 9; do echo 'clock 1000'; done >> s.chip
kron chip multikron --vcd /dev/full --trace t s.chip
echo "exit $?"
babeltrace2 t | wc -l
