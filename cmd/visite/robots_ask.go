package main

import (
	"context"
	"encoding/json"

	api "visite/api/client"
)

// ask has the local stack read the hosts' own robots.txt, through its door.
func (f *explainFlags) ask(ctx context.Context, std streams, urls []string) error {
	c, _, err := localClient(ctx, std)
	if err != nil {
		return err
	}
	items, err := c.explainRobots(ctx, urls, f.profile, f.agents)
	if err != nil {
		return err
	}
	out := json.NewEncoder(std.out)
	out.SetEscapeHTML(false)
	for _, item := range items {
		if err := out.Encode(item); err != nil {
			return err
		}
	}
	return nil
}

// explainRobots gives the verdicts as the API words them, in the order asked.
func (c *client) explainRobots(ctx context.Context, urls []string, profile string, agents []string) ([]json.RawMessage, error) {
	order := api.RobotsOrder{Urls: urls, Profile: optional(profile)}
	if len(agents) > 0 {
		order.Agents = &agents
	}
	answer, err := decoded[struct {
		Items []json.RawMessage `json:"items"`
	}](c.answer(c.api.ExplainRobots(ctx, order)))
	return answer.Items, err
}
