# SPDX-License-Identifier: Apache-2.0
# An older trace becomes DIR.old; something else is not touched.
echo 'clock 1' > s.chip
kron chip multikron --trace t s.chip && kron chip multikron --trace t s.chip && ls
mkdir mine && echo precious > mine/file
kron chip multikron --trace mine s.chip
echo "exit $?"; ls mine
