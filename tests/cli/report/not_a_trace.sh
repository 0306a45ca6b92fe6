# SPDX-License-Identifier: Apache-2.0
mkdir kron.data
echo hello >kron.data/metadata
kron report
