# SPDX-License-Identifier: Apache-2.0
# Registers after power-on, both chips.
printf 'read 1\nread 2\nread 4\nread 8\n' | kron chip multikron --wait-states 3
printf 'read 1\nread 4\nread 8\nread 10\nread 12\nread 3\n' | kron chip multikron2 --wait-states 1
