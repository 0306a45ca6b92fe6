# SPDX-License-Identifier: Apache-2.0
# A trace that was cut off is exported up to the cut, and says so.
cp -r "$KRON_ROOT/tests/golden/export/story" t
head -c 400 t/stream_0 > short
cp short t/stream_0
for format in perfetto chrome csv sqlite; do
	kron export t --to $format -o out.$format; echo "exit $?"
done
wc -l < out.csv
sqlite3 out.sqlite "select count(*) from event;
	select file, damaged_at from stream where damage is not null"
python3 -m json.tool out.chrome formatted
