# SPDX-License-Identifier: Apache-2.0
# The help comes from the option table.
kron chip --help
