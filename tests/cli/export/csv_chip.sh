# SPDX-License-Identifier: Apache-2.0
# A chip has neither processes nor names.
kron chip multikron2 --trace t "$KRON_EXAMPLES/chip/overrun.chip" > chip
kron export t --to csv -o out
cut -d, -f1-16 out
