package api

import (
	"context"

	"visite/schema"
)

// unwanted declines an order for a host that has asked us to stay away (contract
// C-43): no customer can lift that. One made later stops the scan at the door.
func (a *API) unwanted(ctx context.Context, host string) error {
	if a.Visited == nil {
		return nil
	}
	objections, err := a.Visited.Objections(ctx, host)
	if err != nil {
		return err
	}
	for _, o := range objections {
		if o.Kind == schema.ObjectionStop {
			return refuse(schema.RefusalForbidden, codeHostObjected, "/url")
		}
	}
	return nil
}
