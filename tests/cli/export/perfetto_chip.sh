# SPDX-License-Identifier: Apache-2.0
# Samples of a chip model: as many drops as the trace has losses, one instant per sample and loss.
kron chip multikron2 --trace t "$KRON_EXAMPLES/chip/overrun.chip" > chip
kron export t --to perfetto -o out
proto=$KRON_ROOT/tests/golden/perfetto
protoc --decode=kron.perfetto.Trace -I "$proto" kron_subset.proto < out > text
grep -c 'previous_packet_dropped: true' text
grep -c 'TYPE_INSTANT' text
grep 'uint_value: 2$' text
