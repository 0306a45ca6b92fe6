# SPDX-License-Identifier: Apache-2.0
# The second example: discarding and waiting side by side.
kron chip multikron2 "$KRON_EXAMPLES/chip/overrun.chip"
