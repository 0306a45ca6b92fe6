# SPDX-License-Identifier: Apache-2.0
# Whoever writes a line gets the answer before writing the next.
mkfifo in out
kron chip multikron <in >out &
exec 3>in 4<out
echo "read 1" >&3; read -r a <&4; echo "got $a"
echo "read 2" >&3; read -r a <&4; echo "got more"
exec 3>&-; wait $!
