# SPDX-License-Identifier: Apache-2.0
# The FIFO depth has limits.
kron chip multikron --fifo-depth 1 </dev/null
