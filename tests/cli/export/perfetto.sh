# SPDX-License-Identifier: Apache-2.0
# The real protoc knows every field, and shows the story of tests/golden/export/ as it is.
kron export "$KRON_ROOT/tests/golden/export/story" --to perfetto -o out
proto=$KRON_ROOT/tests/golden/perfetto
protoc --decode=kron.perfetto.Trace -I "$proto" kron_subset.proto < out > text
grep -c '^ *[0-9][0-9]*[: ]' text
cat text
