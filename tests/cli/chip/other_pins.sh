# SPDX-License-Identifier: Apache-2.0
# MultiKron has no HOLD.
echo 'hold 1' | kron chip multikron
