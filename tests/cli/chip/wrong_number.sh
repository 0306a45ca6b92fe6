# SPDX-License-Identifier: Apache-2.0
# Numbers are decimal or hexadecimal.
printf 'write 4 zero\n' | kron chip multikron
