# SPDX-License-Identifier: Apache-2.0
# What it offers.
kron export --help
