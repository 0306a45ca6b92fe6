# SPDX-License-Identifier: Apache-2.0
# What the report forbids is done, and warned of, once.
printf 'write 1 3\n# a comment\nread 1\n' | kron chip multikron
