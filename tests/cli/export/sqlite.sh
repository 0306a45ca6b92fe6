# SPDX-License-Identifier: Apache-2.0
# The real sqlite3 answers: counts, sums, a join by the name of a region.
kron export "$KRON_ROOT/tests/golden/export/story" --to sqlite -o out
sqlite3 out "
	select 'tables', group_concat(name, ' ') from
		(select name from sqlite_master where type = 'table' order by name);
	pragma integrity_check;
	select 'events', count(*), sum(resource) from event;
	select 'losses', sum(lost) from loss;
	select stream.thread, file, events, lost from stream order by id;
	select name.text, count(*) from event
		join stream on stream.id = event.stream
		join name on name.process = stream.process and name.id = event.value
		join mark on mark.kind = event.mark
		where mark.name = 'region_begin' group by name.text order by 2, 1;
	select name, count(*), sum(duration_ns) from slice group by name order by 3, 1;
	select counter.name, max(value) from counter_value join counter on counter.id = counter
		group by counter order by 1;"
