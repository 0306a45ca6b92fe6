# SPDX-License-Identifier: Apache-2.0
# A number that no process has.
kron filter 4194305
