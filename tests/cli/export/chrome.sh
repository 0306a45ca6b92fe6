# SPDX-License-Identifier: Apache-2.0
# The real python3 reads it as JSON.
kron export "$KRON_ROOT/tests/golden/export/story" --to chrome -o out
python3 -m json.tool out formatted
python3 - <<'END'
import json
for event in json.load(open("out"))["traceEvents"]:
    print(*(str(event.get(key, "-")).replace("\n", "/").encode("ascii", "replace").decode()
            for key in ("ph", "ts", "pid", "tid", "name", "id", "args")))
END
