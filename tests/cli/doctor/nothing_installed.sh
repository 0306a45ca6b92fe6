# SPDX-License-Identifier: Apache-2.0
# Kron itself works, so the exit code is 0.
mkdir empty
kron=$(command -v kron)
PATH=$PWD/empty "$kron" doctor
