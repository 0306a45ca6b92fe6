# SPDX-License-Identifier: Apache-2.0
# The counters of a chip that count get a track each.
kron chip multikron2 --trace t "$KRON_EXAMPLES/chip/stopwatch.chip" > chip
kron export t --to perfetto -o out
proto=$KRON_ROOT/tests/golden/perfetto
protoc --decode=kron.perfetto.Trace -I "$proto" kron_subset.proto < out > text
grep '    name: "counter' text
grep 'counter_value' text
