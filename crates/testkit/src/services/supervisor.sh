# Runs one Dovecot, and Postfix if it is configured, until the test process is gone: however that ends, the
# kernel closes its end of the pipe on our standard input. Then everything is stopped and the directory removed.
# Arguments: the directory, dovecot, postfix.
dir=$1 dovecot=$2 postfix=$3
trap '' HUP INT TERM
( trap - HUP INT TERM; "$dovecot" -F -c "$dir/dovecot.conf" >"$dir/dovecot.out" 2>&1; echo $? >"$dir/dovecot.exit" ) &
if [ -d "$dir/postfix" ]; then
  ( trap - HUP INT TERM; "$postfix" -c "$dir/postfix/conf" start-fg >"$dir/postfix.out" 2>&1; echo $? >"$dir/postfix.exit" ) &
fi
while read -r _; do :; done

dovecot_pid=$(cat "$dir/run/master.pid" 2>/dev/null)
postfix_pid=$(sed 's/ //g' "$dir/postfix/queue/pid/master.pid" 2>/dev/null)
kill -TERM $dovecot_pid $postfix_pid 2>/dev/null
tries=0
while [ $tries -lt 40 ] && { kill -0 $dovecot_pid || kill -0 $postfix_pid; } 2>/dev/null; do
  sleep 0.05
  tries=$((tries + 1))
done
for pid in $dovecot_pid $postfix_pid; do kill -KILL -- "-$pid" "$pid" 2>/dev/null; done
rm -rf -- "$dir"
# What is left of the process group is ours, and so are we.
kill -KILL 0
