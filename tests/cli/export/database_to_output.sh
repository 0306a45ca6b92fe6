# SPDX-License-Identifier: Apache-2.0
kron export --to sqlite -o -
