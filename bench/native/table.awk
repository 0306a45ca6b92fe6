# SPDX-License-Identifier: Apache-2.0
# The table of bench/native/run, from lines "repetition row tool name value".

# A key is "row tool name", as in the results; with " ratio" behind it, the same divided by rdtsc.
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
	return sprintf("%10s %8s", figure(median(key)), figure(median(key " ratio")))
}

function line(text) {
	sub(/ +$/, "", text)
	print text
}

function verdict(good) {
	return good ? "met" : "MISSED"
}

# One line: what, Kron's key, the other's name and key, the bar in words, and whether it was met.
# Where there are no figures a second line says why.
function row(what, kron, tool, other, bar, met, factor) {
	factor = ""
	if ((kron in count) && (other in count))
		factor = sprintf("%.1f", median(other) / median(kron))
	line(sprintf("%-34s %s  %-9s %s %9s  %-22s %s", what, cells(kron), tool,
		(tool == "" ? sprintf("%10s %8s", "", "") : cells(other)), factor, bar, met))
	split(other, part, " ")
	if (tool != "" && ((part[1] " " part[2]) in reason))
		printf "    %s: %s\n", tool, reason[part[1] " " part[2]]
	split(kron, part, " ")
	if ((part[1] " " part[2]) in reason)
		printf "    Kron: %s\n", reason[part[1] " " part[2]]
}

# A row of Kron alone.
function lone(what, key, bar, met) {
	row(what, key, "", "", bar, met)
}

# Kron and LTTng-UST.
function pair(what, name, key, bar, met) {
	row(what, name " kron " key, "LTTng-UST", name " lttng " key, bar, met)
}

function pace(tool, key) {
	if ((key in count) && median(key) > 202)
		printf "%s was too slow for 5 M events/s: one every %.0f ns\n", tool, median(key)
}

function at_most(key, limit) {
	return (key in count) ? verdict(median(key) <= limit) : "not measured"
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

# The same, and all events of all repetitions are there.
function keeps(name, limit, kron, other) {
	kron = name " kron"
	other = name " lttng"
	if (lost[kron] || lost[other])
		return "MISSED: lost events, see below"
	return over(kron " event", other " event", limit)
}

{
	key = $2 " " $3
	if ($4 == "absent") {
		reason[key] = $0
		sub(/^[^ ]* [^ ]* [^ ]* [^ ]* /, "", reason[key])
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
	line(sprintf("%-34s %10s %8s  %-9s %10s %8s %9s  %s", "ns, medians", "Kron", "x rdtsc",
		"beside it", "", "x rdtsc", "its/Kron", "bar"))
	lone("bare rdtsc", "trigger kron rdtsc", "", "")
	lone("trigger, burst", "trigger kron trace", "<= 1.15 x rdtsc", under("trigger kron trace", 1.15))
	lone("trigger with 16 counters, burst", "trigger kron resource", "<= 1.4 x rdtsc",
		under("trigger kron resource", 1.4))
	lone("trigger rejected, over empty loop", "trigger kron over", "<= 0.5 ns",
		at_most("trigger kron over", 0.5))
	pair("one thread to file", "file", "event", "<= 2 x rdtsc", under("file kron event", 2))
	pair("one thread to file, against LTTng", "file", "event", ">= 6 x LTTng-UST", keeps("file", 6))
	pair("two threads to file", "file2", "event", ">= 6 x LTTng-UST", keeps("file2", 6))
	pair("wait mode, 32 KB", "wait", "event", ">= 10 x LTTng-UST", keeps("wait", 10))
	pair("5 M events/s, p50", "latency", "p50", "", "")
	pair("5 M events/s, p99", "latency", "p99", "", "")
	pair("5 M events/s, p99.9", "latency", "p99.9", "", "")
	pair("5 M events/s, p99.99", "latency", "p99.99", "<= 1/5 of LTTng-UST's",
		over("latency kron p99.99", "latency lttng p99.99", 5))
	pair("5 M events/s, max", "latency", "max", "", "")
	pair("bytes per trace event on disk", "file", "size", "<= 16.2", at_most("file kron size", 16.2))
	row("region, function: begin and end", "region kron event", "uftrace", "region uftrace event",
		"", "")
	pace("Kron", "latency kron pace")
	pace("LTTng-UST", "latency lttng pace")
	for (key in lost)
		if (lost[key])
			printf "Lost, the ring being full: %s: %d events in all repetitions\n",
				key, lost[key]
}
