# SPDX-License-Identifier: Apache-2.0
# What is no trace is not touched; a link is not followed.
mkdir dir; echo precious > dir/file
kron record -o dir -- true; echo $?
echo precious > file
kron record -o file -- true; echo $?
mkdir empty; ln -s empty link
kron record -o link -- true; echo $?
kron record -o link/ -- true; echo $?
kron record -o nowhere/t -- true; echo $?
cat dir/file file; ls -A empty
