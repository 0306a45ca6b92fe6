# SPDX-License-Identifier: Apache-2.0
# What the report forbids is done, and warned of.
echo 'write 1 3' | kron chip multikron
