<?php
// One key and one time for all tries: however often it is sent, it is recorded once.
$body = json_encode([
    'actor_id' => 'ada',
    'action' => 'invoice.paid',
    'resource' => 'invoice',
    'resource_id' => '42',
    'occurred_at' => gmdate('Y-m-d\TH:i:s\Z'),
    'idempotency_key' => bin2hex(random_bytes(16)),
], JSON_THROW_ON_ERROR);

for ($try = 1; ; $try++) {
    $wait = $try;
    $curl = curl_init(getenv('CAIRN_URL') . '/api/v1/events');
    curl_setopt_array($curl, [
        CURLOPT_POSTFIELDS => $body,
        CURLOPT_HTTPHEADER => [
            'Authorization: Bearer ' . getenv('CAIRN_API_KEY'),
            'Content-Type: application/json',
        ],
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 10,
        CURLOPT_HEADERFUNCTION => function ($curl, $line) use (&$wait) {
            if (preg_match('/^retry-after: *(\d+)/i', $line, $found)) {
                $wait = min((int) $found[1], 60);
            }
            return strlen($line);
        },
    ]);
    $answer = curl_exec($curl);
    $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
    if ($answer !== false && $status === 202) {
        echo $answer, "\n";
        break;
    }
    $isFinal = $status >= 300 && $status < 500 && $status !== 429;
    if ($isFinal || $try === 5) {
        $why = $answer === false ? curl_error($curl) : $answer;
        throw new RuntimeException("not recorded: $status $why");
    }
    sleep($wait);
}
