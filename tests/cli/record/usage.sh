# SPDX-License-Identifier: Apache-2.0
# Wrong command lines.
run() { kron record "$@"; echo $?; }
run
run --
run -b 5000 -- true
run -b 1K -- true
run -b 2G -- true
run --on-full maybe -- true
run --no-such-option -- true
run -g 16 -- true
run -g 3-1 -- true
run -g 0x10000 -- true
run -g '' -- true
run -g 1,,2 -- true
run -g -1 -- true
run -g 1- -- true
run --counters 16=clock -- true
run --counters clock -- true
run --counters 1=cloc -- true
run --counters 1=nonsense -- true
run --counters 1=shared:clock -- true
run --counters 1= -- true
run --counters ,1=clock -- true
run --counters 1=clock:$(printf %0200d 0) -- true
ls
