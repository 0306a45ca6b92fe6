# SPDX-License-Identifier: Apache-2.0
# Failing, silent, without a number, endless: found, and no version. Not a program: broken.
mkdir bin
kron=$(command -v kron)
for body in 'exit 1' 'exec 1>&-; exec sleep 1000' 'echo no digits here' 'echo error 5 >&2' \
	'yes' 'echo v10.20-rc1, 2024'; do
	printf '#!/bin/sh\n%s\n' "$body" >bin/babeltrace2
	chmod +x bin/babeltrace2
	PATH=$PWD/bin:/usr/bin:/bin "$kron" doctor | grep babeltrace2
done
echo 'garbage' >bin/babeltrace2
PATH=$PWD/bin "$kron" doctor | grep babeltrace2
