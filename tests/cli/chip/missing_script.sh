# SPDX-License-Identifier: Apache-2.0
# A script that is not there.
kron chip multikron nowhere.chip
