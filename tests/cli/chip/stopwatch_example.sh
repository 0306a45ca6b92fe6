# SPDX-License-Identifier: Apache-2.0
# The first example says what its comments say.
kron chip multikron2 "$KRON_EXAMPLES/chip/stopwatch.chip"
