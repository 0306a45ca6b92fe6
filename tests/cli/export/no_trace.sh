# SPDX-License-Identifier: Apache-2.0
# No trace, something else, or nothing at all.
kron export -o out; echo "exit $?"
mkdir empty
kron export empty -o out; echo "exit $?"
echo text > file
kron export file -o out; echo "exit $?"
mkdir other
echo text > other/metadata
kron export other -o out; echo "exit $?"
ls
