# SPDX-License-Identifier: Apache-2.0
# Clock options: 12 node clocks at a quarter are 3 time stamp clocks.
printf 'clock 398\nread 2\n' | kron chip multikron --node-hz 40M --timestamp-hz 10M
