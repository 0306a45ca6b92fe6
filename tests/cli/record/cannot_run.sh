# SPDX-License-Identifier: Apache-2.0
# A program that is not there, and files that are none: nothing is touched.
kron record -o t -- no-such-program; echo $?
kron record -o t -- ./no-such-program; echo $?
echo text > text
kron record -o t -- ./text; echo $?
kron record -o t -- .; echo $?
kron record -o t -- ""; echo $?
PATH=/nowhere:$PATH
kron record -o t -- text; echo $?
ls
