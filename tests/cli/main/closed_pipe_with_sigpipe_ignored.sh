# SPDX-License-Identifier: Apache-2.0
# Then the write fails like any other.
trap '' PIPE
mkfifo pipe
{
	while [ ! -e gone ]; do sleep 0.01; done
	kron --help
	echo "exit code $?" >code
} >pipe &
exec 3<pipe
exec 3<&-
: >gone
wait
cat code
