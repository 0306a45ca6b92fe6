# SPDX-License-Identifier: Apache-2.0
# The program has the limit of open files that we had.
ulimit -Sn 100
kron record -o t -- sh -c 'ulimit -Sn'
