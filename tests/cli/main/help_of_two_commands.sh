# SPDX-License-Identifier: Apache-2.0
kron help chip doctor
