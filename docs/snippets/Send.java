import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

class Send {
  public static void main(String[] args) throws IOException, InterruptedException {
    // One key and one time for all tries: however often it is sent, it is recorded once.
    var body = """
        {
          "actor_id": "ada",
          "action": "invoice.paid",
          "resource": "invoice",
          "resource_id": "42",
          "occurred_at": "%s",
          "idempotency_key": "%s"
        }
        """.formatted(Instant.now(), UUID.randomUUID());
    var request = HttpRequest.newBuilder(URI.create(System.getenv("CAIRN_URL") + "/api/v1/events"))
        .header("Authorization", "Bearer " + System.getenv("CAIRN_API_KEY"))
        .header("Content-Type", "application/json")
        .timeout(Duration.ofSeconds(10))
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
    var client = HttpClient.newHttpClient();

    for (var attempt = 1; ; attempt++) {
      var wait = (long) attempt;
      String error;
      try {
        var answer = client.send(request, BodyHandlers.ofString());
        var status = answer.statusCode();
        if (status == 202) {
          System.out.println(answer.body());
          return;
        }
        error = status + " " + answer.body();
        if (status >= 300 && status < 500 && status != 429) throw new IllegalStateException(error);
        wait = answer.headers().firstValue("Retry-After").filter(text -> text.matches("\\d{1,9}"))
            .map(Long::parseLong).orElse(wait);
      } catch (IOException problem) {
        error = problem.toString();
      }
      if (attempt == 5) throw new IOException(error);
      Thread.sleep(wait * 1000);
    }
  }
}
