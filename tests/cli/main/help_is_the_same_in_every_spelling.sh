# SPDX-License-Identifier: Apache-2.0
kron --help >long
kron -h >short
kron help >word
kron help help >twice
kron help --help >dashes
cmp long short && cmp long word && cmp long twice && cmp long dashes && echo the same
