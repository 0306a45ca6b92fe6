# SPDX-License-Identifier: Apache-2.0
# There are two models.
kron chip multikron3
