# SPDX-License-Identifier: Apache-2.0
# A program that is not linked with libkron: this one was compiled with KRON_DISABLE.
cp "$KRON_PROGRAMS/disabled" .
kron record -o t -- ./disabled
babeltrace2 t
