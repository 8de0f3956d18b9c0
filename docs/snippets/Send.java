import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
    var client = HttpClient.newHttpClient();

    for (var attempt = 1; ; attempt++) {
      var wait = (long) attempt;
      String error;
      try {
        // The request's own time limit ends with the headers: this one is for the whole answer.
        var answer = client.sendAsync(request, BodyHandlers.ofString()).get(10, TimeUnit.SECONDS);
        var status = answer.statusCode();
        if (status == 202) {
          System.out.println(answer.body());
          return;
        }
        error = status + " " + answer.body();
        if (status >= 300 && status < 500 && status != 429) throw new IllegalStateException(error);
        wait = answer.headers().firstValue("Retry-After").filter(text -> text.matches("\\d{1,9}"))
            .map(Long::parseLong).orElse(wait);
      } catch (ExecutionException | TimeoutException problem) {
        error = problem.toString();
      }
      if (attempt == 5) throw new IOException(error);
      Thread.sleep(Math.min(wait, 60) * 1000);
    }
  }
}
