// Package workflows tells Visite's stories as durable Temporal workflows: it
// decides what comes next and never touches the world. Activities do the steps.
package workflows
