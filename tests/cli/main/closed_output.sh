# SPDX-License-Identifier: Apache-2.0
kron --version >&-
echo "exit code $?"
kron help doctor >&-
echo "exit code $?"
