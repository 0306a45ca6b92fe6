# SPDX-License-Identifier: Apache-2.0
# The table of bench/native/run, from lines "repetition row tool name value".

# The key of a figure in one repetition, and of all repetitions.
function remember(key, value) {
	list[key, ++count[key]] = value + 0
}

function median(key, n, i, j, swap, sorted) {
	n = count[key]
	for (i = 1; i <= n; i++)
		sorted[i] = list[key, i]
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && sorted[j - 1] > sorted[j]; j--) {
			swap = sorted[j]
			sorted[j] = sorted[j - 1]
			sorted[j - 1] = swap
		}
	return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

function figure(value) {
	return value < 100 ? sprintf("%.2f", value) : sprintf("%.0f", value)
}

# Median and ratio to rdtsc, or dashes.
function cells(key) {
	if (!(key in count))
		return sprintf("%10s %8s", "-", "-")
	if (!((key, "ratio") in known))
		return sprintf("%10s %8s", figure(median(key)), "")
	return sprintf("%10s %8.2f", figure(median(key)), median(key " ratio"))
}

function verdict(good) {
	return good ? "met" : "MISSED"
}

# One line: what, Kron's key, the other's name and key, the bar in words, and whether it was met.
function row(what, kron, tool, other, bar, met, factor) {
	factor = (kron in count) && (other in count) ? sprintf("%.1f", median(other) / median(kron)) : ""
	printf "%-34s %s  %-9s %s %9s  %-22s %s\n", what, cells(kron), tool,
		(tool == "" ? sprintf("%10s %8s", "", "") : cells(other)), factor, bar, met
	split(other, part, " ")
	if (tool != "" && ((part[1] " " part[2]) in reason))
		printf "    %s: %s\n", tool, reason[part[1] " " part[2]]
	split(kron, part, " ")
	if ((part[1] " " part[2]) in reason)
		printf "    Kron: %s\n", reason[part[1] " " part[2]]
}

# At most so many times rdtsc.
function under(key, limit) {
	return (key in count) ? verdict(median(key " ratio") <= limit) : "not measured"
}

# At least so many times faster than the other.
function over(kron, other, limit) {
	if (!(kron in count) || !(other in count))
		return "not measured"
	return verdict(median(other) >= limit * median(kron))
}

{
	key = $2 " " $3
	if ($4 == "absent") {
		reason[key] = $0
		sub(/^([^ ]* ){4}/, "", reason[key])
		next
	}
	if ($4 == "rdtsc")
		rdtsc = $5
	remember(key " " $4, $5)
	if ($4 == "lost")
		lost[key] += $5
	if ($4 ~ /^(event|trace|resource|p[0-9.]+|max)$/) {
		remember(key " " $4 " ratio", $5 / rdtsc)
		known[key " " $4, "ratio"] = 1
	}
	if ($4 == "empty")
		empty = $5
	if ($4 == "rejected")
		remember("trigger kron over", $5 - empty)
	if ($4 == "events" && $2 == "file")
		events = $5
	if ($4 == "bytes" && $2 == "file") # 4 M and the warm-up: see the file mode in run
		remember(key " size", $5 / ($3 == "kron" ? events : 4001000))
	if ($4 == "bytes" && $3 == "uftrace")
		remember(key " size", $5 / 1000000)
}

END {
	printf "%-34s %10s %8s  %-9s %10s %8s %9s  %-22s\n", "ns, medians", "Kron", "x rdtsc", "beside it",
		"", "x rdtsc", "its/Kron", "bar"
	row("bare rdtsc", "trigger kron rdtsc", "", "", "", "")
	row("trigger, burst", "trigger kron trace", "", "", "<= 1.15 x rdtsc", under("trigger kron trace", 1.15))
	row("trigger with 16 counters, burst", "trigger kron resource", "", "", "<= 1.4 x rdtsc", under("trigger kron resource", 1.4))
	row("trigger rejected, over empty loop", "trigger kron over", "", "", "<= 0.5 ns",
		("trigger kron over" in count) ? verdict(median("trigger kron over") <= 0.5) : "not measured")
	row("one thread to file", "file kron event", "LTTng-UST", "file lttng event", "<= 2 x rdtsc", under("file kron event", 2))
	row("one thread to file, against LTTng", "file kron event", "LTTng-UST", "file lttng event", ">= 6 x LTTng-UST", over("file kron event", "file lttng event", 6))
	row("two threads to file", "file2 kron event", "LTTng-UST", "file2 lttng event", ">= 6 x LTTng-UST", over("file2 kron event", "file2 lttng event", 6))
	row("wait mode, 32 KB", "wait kron event", "LTTng-UST", "wait lttng event", ">= 10 x LTTng-UST", over("wait kron event", "wait lttng event", 10))
	row("5 M events/s, p50", "latency kron p50", "LTTng-UST", "latency lttng p50", "", "")
	row("5 M events/s, p99", "latency kron p99", "LTTng-UST", "latency lttng p99", "", "")
	row("5 M events/s, p99.9", "latency kron p99.9", "LTTng-UST", "latency lttng p99.9", "", "")
	row("5 M events/s, p99.99", "latency kron p99.99", "LTTng-UST", "latency lttng p99.99", "<= 1/5 of LTTng-UST's", over("latency kron p99.99", "latency lttng p99.99", 5))
	row("5 M events/s, max", "latency kron max", "LTTng-UST", "latency lttng max", "", "")
	row("bytes per trace event on disk", "file kron size", "LTTng-UST", "file lttng size", "<= 16.2",
		("file kron size" in count) ? verdict(median("file kron size") <= 16.2) : "not measured")
	row("region, function: begin and end", "region kron event", "uftrace", "region uftrace event", "", "")
	for (key in lost)
		if (lost[key])
			printf "LOST: %s: %d events in all repetitions\n", key, lost[key]
}
