# SPDX-License-Identifier: Apache-2.0
# Results that get lost are an error, whatever else went well.
kron --version >/dev/full
echo "exit code $?"
kron --help >/dev/full
echo "exit code $?"
kron doctor >/dev/full
echo "exit code $?"
