# SPDX-License-Identifier: Apache-2.0
# A test that sets the time stamp back is not taken for 228 years that have passed.
printf 'write 4 1\nwrite 1 1\ntest 1\nwrite 2 1000\ntest 0\nwrite 96 1\nclock 50\ntest 1\nwrite 2 5\ntest 0\nwrite 96 2\nclock 50\nsamples\n' > s.chip
kron chip multikron2 --trace t s.chip 2>/dev/null
babeltrace2 --clock-cycles t | cut -c1-40
