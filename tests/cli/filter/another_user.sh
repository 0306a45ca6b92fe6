# SPDX-License-Identifier: Apache-2.0
# Another user's process is refused. Only root can set this up; others see what must come.
if [ "$(id -u)" = 0 ]; then
	chmod 755 . .. && mkdir theirs && chown nobody theirs
	cp "$(realpath "$(command -v kron)")" kron && cp "$KRON_PROGRAMS/kron_user_static" user
	setpriv --reuid=nobody --clear-groups sleep 10 & sleep 0.2
	kron filter $! none 2>&1 | sed "s/$!/PID/"
	kill $!
	sleep 10 &
	setpriv --reuid=nobody --clear-groups ./kron filter $! none 2>&1 | sed "s/$!/PID/"
	kill $!
else
	echo 'kron filter: PID: it belongs to another user'
	echo 'kron filter: PID: it belongs to another user'
fi
