# SPDX-License-Identifier: Apache-2.0
# The time stamp clock has a limit that depends on the node clock.
kron chip multikron --node-hz 20M </dev/null
