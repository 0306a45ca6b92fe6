# SPDX-License-Identifier: Apache-2.0
# A reader that has seen enough, as in `kron ... | head`: ended by SIGPIPE, without a word. The reader
# is gone before kron writes, because the writer waits for the file.
mkfifo pipe
{
	while [ ! -e gone ]; do sleep 0.01; done
	env --default-signal=PIPE kron --help
	echo "exit code $?" >code
} >pipe &
exec 3<pipe
exec 3<&-
: >gone
wait
cat code
