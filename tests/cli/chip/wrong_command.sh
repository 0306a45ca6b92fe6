# SPDX-License-Identifier: Apache-2.0
# A wrong line is named by file and number; results before it are kept.
printf 'read 1\n\nraed 2\nread 4\n' > s.chip
kron chip multikron s.chip
