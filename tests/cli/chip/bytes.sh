# SPDX-License-Identifier: Apache-2.0
# A trace sample as 10-bit elements: byte, parity, end.
printf 'write 4 1\nwrite 1 1\ncpu 5\nwrite 21 0x01020304\nwrite 96 0xa1a2a3a4a5a6\nclock 40\nbytes\n' | kron chip multikron
