# SPDX-License-Identifier: Apache-2.0
# babeltrace2 finds the same losses in the trace as sqlite3 in the database and protoc in the packets.
story=$KRON_ROOT/tests/golden/export/story
babeltrace2 "$story" 2>&1 >/dev/null | grep -o 'discarded [0-9]* event'
kron export "$story" --to sqlite -o out
sqlite3 out "select lost from loss"
kron export "$story" --to perfetto -o out
proto=$KRON_ROOT/tests/golden/perfetto
protoc --decode=kron.perfetto.Trace -I "$proto" kron_subset.proto < out |
	grep -c 'previous_packet_dropped: true'
