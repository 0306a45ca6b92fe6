# SPDX-License-Identifier: Apache-2.0
kron=$(command -v kron)
unset PATH
"$kron" doctor
