# SPDX-License-Identifier: Apache-2.0
# A trace that is being written is not moved aside by the next recorder.
mkfifo go
kron record -- sh -c 'read x < go' 2>/dev/null &
while [ ! -e kron.data/metadata ]; do sleep 0.05; done
kron record -- true
echo "exit $?"
echo > go
wait
ls
