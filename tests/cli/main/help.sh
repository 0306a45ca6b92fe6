# SPDX-License-Identifier: Apache-2.0
# The list of commands is what was asked for, so it goes to standard output.
kron --help
