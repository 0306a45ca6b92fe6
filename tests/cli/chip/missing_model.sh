# SPDX-License-Identifier: Apache-2.0
# The model must be said.
kron chip
