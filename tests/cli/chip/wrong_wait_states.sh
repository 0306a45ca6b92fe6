# SPDX-License-Identifier: Apache-2.0
# MultiKron II has one wait-state pin.
kron chip multikron2 --wait-states 2 </dev/null
