# SPDX-License-Identifier: Apache-2.0
# The real vcd2fst reads the dump.
kron chip multikron2 --vcd pins.vcd "$KRON_EXAMPLES/chip/stopwatch.chip" > /dev/null
vcd2fst pins.vcd pins.fst > /dev/null && test -s pins.fst && echo converted
grep -c "^\$var" pins.vcd
