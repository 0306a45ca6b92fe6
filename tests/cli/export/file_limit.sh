# SPDX-License-Identifier: Apache-2.0
# A disk without room, as a limit of the shell plays it: the file that was there stays, and nothing
# else is left.
echo old > out
story=$KRON_ROOT/tests/golden/export/story
trap '' XFSZ
for format in perfetto chrome csv sqlite; do
	(ulimit -f 1; kron export "$story" --to $format -o out); echo "exit $?"
done
cat out
ls
