# SPDX-License-Identifier: Apache-2.0
# A database of a chip's samples agrees with what babeltrace2 says of the trace.
kron chip multikron2 --trace t "$KRON_EXAMPLES/chip/overrun.chip" > chip
kron export t --to sqlite -o out
babeltrace2 t 2>/dev/null | wc -l
sqlite3 out "select count(*) from event;
	select sum(lost) from stream;
	select value from info where key = 'model'"
