# SPDX-License-Identifier: Apache-2.0
# The real babeltrace2 reads the trace and finds as many discarded events as the chip counted.
kron chip multikron2 --trace t "$KRON_EXAMPLES/chip/overrun.chip" > /dev/null
babeltrace2 --clock-cycles t 2>err
grep -o "discarded [0-9]* events" err
