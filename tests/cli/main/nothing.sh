# SPDX-License-Identifier: Apache-2.0
# Not what was asked for, so on standard error, with an exit code.
kron
