# SPDX-License-Identifier: Apache-2.0
# Stand-ins for the programs, the second folder of PATH first tried in vain.
mkdir first second
cat >second/babeltrace2 <<'END'
#!/bin/sh
[ "$1" = --version ] || exit 1
echo 'Babeltrace 2.0.4 "Amqui"'
END
printf '#!/bin/sh\nexit 1\n' >second/gtkwave
printf '#!/bin/sh\nexit 1\n' >second/vcd2fst
chmod +x second/*
mkdir first/gtkwave # not a program
: >first/vcd2fst    # not executable
kron=$(command -v kron)
PATH=$PWD/first:$PWD/second "$kron" doctor
PATH=first::second "$kron" doctor --json | grep path
