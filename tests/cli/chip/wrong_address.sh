# SPDX-License-Identifier: Apache-2.0
# Addresses are 0..127.
printf 'read 200\n' | kron chip multikron
