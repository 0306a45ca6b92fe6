# SPDX-License-Identifier: Apache-2.0
# What was written, what was lost, and what to type next.
kron record -o t -- "$KRON_PROGRAMS/kron_triggers" forks 2
kron record -o t -- true
