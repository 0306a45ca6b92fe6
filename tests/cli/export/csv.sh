# SPDX-License-Identifier: Apache-2.0
# The real python3 reads it as CSV; standard output takes it.
kron export "$KRON_ROOT/tests/golden/export/story" --to csv -o - > out
python3 - <<'END'
import csv
rows = list(csv.DictReader(open("out", newline=""), strict=True))
print(len(rows), "events,", sum(int(row["lost_before"]) for row in rows), "lost between them")
for row in rows:
    print(row["ns"], row["thread"], row["mark"] or "-", ascii(row["name"]),
          row["value"] or row["data"], row["counter0:items"], row["counter2:bytes"])
END
