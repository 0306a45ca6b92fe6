# SPDX-License-Identifier: Apache-2.0
TERM=xterm kron doctor | grep -c "$(printf '\033')"
TERM=xterm kron frobnicate 2>&1 | grep -c "$(printf '\033')"
exit 0
