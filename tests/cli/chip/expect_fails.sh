# SPDX-License-Identifier: Apache-2.0
# expect stops the script with exit code 1.
printf 'read 4\nexpect 1\nread 1\n' | kron chip multikron
