# SPDX-License-Identifier: Apache-2.0
# Which counters there are here: these are everywhere.
kron record --list-counters | grep -E ' (software|clock|stopwatch) '
kron record --list-counters | wc -l
