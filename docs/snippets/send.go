package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"
)

// record sends an event until the service has it, or has refused it, or has not answered five times.
func record(event map[string]any) (string, error) {
	// One key and one time for all tries: however often it is sent, it is recorded once.
	event["idempotency_key"] = rand.Text()
	event["occurred_at"] = time.Now().UTC().Format(time.RFC3339Nano)
	body, err := json.Marshal(event)
	if err != nil {
		return "", err
	}
	client := &http.Client{
		Timeout: 10 * time.Second,
		// The service redirects nobody: the key and the event go nowhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	for try := 1; ; try++ {
		wait := time.Duration(try) * time.Second
		request, err := http.NewRequest("POST", os.Getenv("CAIRN_URL")+"/api/v1/events", bytes.NewReader(body))
		if err != nil {
			return "", err
		}
		request.Header.Set("Authorization", "Bearer "+os.Getenv("CAIRN_API_KEY"))
		request.Header.Set("Content-Type", "application/json")
		response, err := client.Do(request)
		if err == nil {
			var answer []byte
			answer, err = io.ReadAll(response.Body)
			response.Body.Close()
			if err == nil && response.StatusCode == 202 {
				return string(answer), nil
			}
			if err == nil {
				err = fmt.Errorf("%s: %s", response.Status, answer)
				if response.StatusCode != 429 && response.StatusCode < 500 {
					return "", err
				}
			}
			if seconds, wrong := strconv.Atoi(response.Header.Get("Retry-After")); wrong == nil && seconds > 0 {
				wait = time.Duration(min(seconds, 60)) * time.Second
			}
		}
		if try == 5 {
			return "", err
		}
		time.Sleep(wait)
	}
}

func main() {
	answer, err := record(map[string]any{
		"actor_id":    "ada",
		"action":      "invoice.paid",
		"resource":    "invoice",
		"resource_id": "42",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
}
