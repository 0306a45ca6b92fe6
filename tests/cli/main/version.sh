# SPDX-License-Identifier: Apache-2.0
kron --version
kron -V
kron --version doctor
