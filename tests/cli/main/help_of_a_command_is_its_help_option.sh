# SPDX-License-Identifier: Apache-2.0
kron help doctor >word
kron doctor --help >option
cmp word option && head -n 1 word
