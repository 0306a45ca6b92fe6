# SPDX-License-Identifier: Apache-2.0
# A deeper FIFO loses later; losses are told at the end.
printf 'write 4 1\nwrite 1 1\nnetrdy 0\n' > s.chip
for i in 1 2 3 4 5 6; do echo 'write 96 1'; done >> s.chip
echo 'read 6' >> s.chip
kron chip multikron --fifo-depth 2 s.chip
kron chip multikron --fifo-depth 5 s.chip
kron chip multikron --fifo-depth 6 s.chip
