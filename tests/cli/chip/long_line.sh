# SPDX-License-Identifier: Apache-2.0
# A line that is too long is refused, not cut.
head -c 5000 /dev/zero | tr '\0' 1 | kron chip multikron
