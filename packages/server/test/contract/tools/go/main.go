// A client that oapi-codegen makes: generated.go.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	action := os.Getenv("ACTION")
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
		return nil
	}
	client, err := NewClientWithResponses(os.Getenv("BASE_URL"), WithRequestEditorFn(authorize))
	check(err)

	var ids []string
	for seats := 1; seats <= 3; seats++ {
		metadata := map[string]interface{}{"plan": "pro", "seats": seats, "nested": map[string]interface{}{"tags": []string{"a", "b"}}}
		accepted, err := client.EventsIngestWithResponse(ctx, EventInput{ActorId: "ada", Action: action, Metadata: &metadata})
		check(err)
		if accepted.JSON202 == nil {
			panic(accepted.Status())
		}
		ids = append(ids, accepted.JSON202.Id.String())
	}

	limit := 2
	list := func(cursor *string) *EventsListEventsResponse {
		actions := []string{action}
		page, err := client.EventsListEventsWithResponse(ctx, &EventsListEventsParams{Action: &actions, Limit: &limit, Cursor: cursor})
		check(err)
		if page.JSON200 == nil {
			panic(page.Status())
		}
		return page
	}
	total := func(page *EventsListEventsResponse) string { return fmt.Sprint(deref(page.JSON200.Pagination.Total)) }
	first := list(nil)
	for total(first) != fmt.Sprint(len(ids)) {
		first = list(nil)
	}
	second := list(first.JSON200.Pagination.NextCursor)
	var seats []interface{}
	for _, page := range []*EventsListEventsResponse{first, second} {
		for _, event := range page.JSON200.Data {
			seats = append(seats, (*event.Metadata)["seats"])
		}
	}

	many := 1000
	verified, err := client.EventsVerifyWithResponse(ctx, &EventsVerifyParams{Limit: &many})
	check(err)
	proof, err := client.ProofsEventProofWithResponse(ctx, ids[0])
	check(err)
	check(json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
		"seats":  seats,
		"more":   []bool{first.JSON200.Pagination.HasMore, second.JSON200.Pagination.HasMore},
		"valid":  verified.JSON200.Data.Valid,
		"proven": proof.JSON200.Header.Id == ids[0],
	}))
}
