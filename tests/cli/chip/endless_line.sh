# SPDX-License-Identifier: Apache-2.0
# A line without an end is refused as soon as it is too long.
timeout -s KILL 10 kron chip multikron /dev/zero
