# SPDX-License-Identifier: Apache-2.0
# A held acknowledge, or a stopped network, takes no time to play, however long.
printf 'hold 1\nwrite 4 1\nclock 1000000000000000\nhold 0\nread 4\n' | kron chip multikron2
printf 'write 4 1\nwrite 1 1\nnetrdy 0\nwrite 96 7\nclock 1000000000000000\nnetrdy 1\nclock 50\nsamples\n' | kron chip multikron2
