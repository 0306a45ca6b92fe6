# SPDX-License-Identifier: Apache-2.0
# The accounts are JSON, whatever names a program has.
kron record -o t -- "$KRON_PROGRAMS/kron_triggers" names 3
python3 - <<'END'
import json
trace = json.load(open("t/.kron.json"))
print(trace["schema"], trace["model"], trace["complete"], trace["exit_code"])
for stream in trace["streams"]:
    print(sum(stream["triggered"]), stream["events"], stream["lost"])
for name in trace["processes"][0]["names"]:
    print(ascii(name["text"][:12]))
ticks = trace["points"][-1]["ticks"] - trace["points"][0]["ticks"]
wall = trace["points"][-1]["wall_ns"] - trace["points"][0]["wall_ns"]
print("clock", abs(ticks / trace["clock"]["hz"] - wall / 1e9) < 0.1 * wall / 1e9)
END
