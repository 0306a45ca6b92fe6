# SPDX-License-Identifier: Apache-2.0
# --version stands behind the command, which has no such option.
kron doctor --version
