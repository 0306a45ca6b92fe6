# SPDX-License-Identifier: Apache-2.0
# There is no default for the file.
kron export
