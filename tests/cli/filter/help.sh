# SPDX-License-Identifier: Apache-2.0
kron filter --help
