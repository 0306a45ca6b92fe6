# SPDX-License-Identifier: Apache-2.0
# A software reset in the middle of a sample: it is dropped, and told.
printf 'write 4 1\nwrite 1 1\nwrite 96 1\nclock 10\nwrite 0 0\nclock 100\nsamples\n' | kron chip multikron
