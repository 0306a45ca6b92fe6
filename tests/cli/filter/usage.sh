# SPDX-License-Identifier: Apache-2.0
# Wrong command lines.
run() { kron filter "$@"; echo $?; }
run
run abc
run 0
run -- -1
run 99999999999
run 1 2 3
run $$ 77
