# SPDX-License-Identifier: Apache-2.0
kron chip --trace trace multikron2 "$KRON_EXAMPLES/chip/overrun.chip" >/dev/null 2>&1
kron report trace
