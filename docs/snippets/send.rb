require "json"
require "net/http"
require "securerandom"
require "time"

# One key and one time for all tries: however often it is sent, it is recorded once.
body = JSON.generate({
  actor_id: "ada",
  action: "invoice.paid",
  resource: "invoice",
  resource_id: "42",
  occurred_at: Time.now.utc.iso8601(6),
  idempotency_key: SecureRandom.uuid
})

uri = URI("#{ENV.fetch("CAIRN_URL")}/api/v1/events")
headers = {
  "Authorization" => "Bearer #{ENV.fetch("CAIRN_API_KEY")}",
  "Content-Type" => "application/json"
}

(1..5).each do |try|
  wait = try
  begin
    http = Net::HTTP.new(uri.host, uri.port)
    http.use_ssl = uri.scheme == "https"
    http.open_timeout = http.read_timeout = 10
    http.max_retries = 0
    answer = http.post(uri.request_uri, body, headers)
    if answer.code == "202"
      puts answer.body
      break
    end
    error = "#{answer.code} #{answer.body}"
    is_final = answer.code.to_i.between?(300, 499) && answer.code != "429"
    asked = answer["Retry-After"].to_i
    wait = [asked, 60].min if asked.positive?
  rescue StandardError => problem
    error = problem.message
    is_final = false
  end
  abort("not recorded: #{error}") if is_final || try == 5
  sleep(wait)
end
