# SPDX-License-Identifier: Apache-2.0
kron "$(printf 'a\033[31mb\nc')"
