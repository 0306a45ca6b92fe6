# SPDX-License-Identifier: Apache-2.0
# Without kron record the program opens nothing, starts nothing, says nothing.
strace -f -o calls -e trace=openat,open,memfd_create,clone,clone3,fork,vfork,perf_event_open,futex,mmap,write \
	"$KRON_PROGRAMS/kron_triggers" filters
grep -E 'clone|fork|memfd|perf_event|MAP_SHARED' calls
grep open calls | grep -v -E '\.so|ld.so.cache'
grep -c write calls
