# SPDX-License-Identifier: Apache-2.0
# A dump that cannot be opened is told, and nothing else is touched: no trace is moved aside.
echo 'clock 1' > s.chip
kron chip multikron --trace t s.chip
kron chip multikron --trace t --vcd nowhere/x.vcd s.chip
echo "exit $?"
ls
