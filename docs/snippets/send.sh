# One key and one time for all tries: however often it is sent, it is recorded once.
key=$(openssl rand -hex 16)
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)

answer=$(curl --silent --show-error --max-time 10 --retry 5 --retry-all-errors --retry-max-time 120 \
  --write-out '\n%{http_code}' \
  "$CAIRN_URL/api/v1/events" \
  --header "Authorization: Bearer $CAIRN_API_KEY" \
  --header 'Content-Type: application/json' \
  --data '{
    "actor_id": "ada",
    "action": "invoice.paid",
    "resource": "invoice",
    "resource_id": "42",
    "occurred_at": "'"$now"'",
    "idempotency_key": "'"$key"'"
  }')
echo "$answer"
case "$answer" in *202) ;; *) exit 1 ;; esac
