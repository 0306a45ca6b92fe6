# SPDX-License-Identifier: Apache-2.0
# On any machine: a line for each thing, ok or missing, and JSON that says the same.
kron doctor >text
grep -Evc '^(ok|missing) +[a-z]' text
kron doctor --json >json
for status in ok missing; do
	[ "$(grep -c "^$status " text)" = "$(grep -c "\"status\": \"$status\"" json)" ] || exit 1
done
