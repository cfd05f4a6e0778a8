package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/json"

	"visite/schema"
)

// ruleInsert gives the rule's id; of two at once the second waits and gets the first one's.
const ruleInsert = `INSERT INTO rules (hash, rule, engine, category, severity, outcome, wcag, act_rules, help, title)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (hash) DO UPDATE SET hash = EXCLUDED.hash RETURNING id`

// ruleHash names everything of a finding but its place.
type ruleHash [16]byte

// ruleOf is a finding without its place.
func ruleOf(f schema.Finding) (schema.Finding, ruleHash, error) {
	f.Selector, f.Detail = "", ""
	f.Rule, f.Engine, f.Title, f.Help = text(f.Rule), text(f.Engine), text(f.Title), text(f.Help)
	f.WCAG, f.ACTRules = texts(f.WCAG), texts(f.ACTRules)
	key, err := json.Marshal(f)
	sum := sha256.Sum256(key)
	return f, ruleHash(sum[:16]), err
}

// ruleID finds or records a finding's rule. There are few, so nearly every
// answer comes from memory.
func (s *Store) ruleID(ctx context.Context, f schema.Finding) (int32, error) {
	rule, hash, err := ruleOf(f)
	if err != nil {
		return 0, err
	}
	s.mu.RLock()
	id, ok := s.rules[hash]
	s.mu.RUnlock()
	if ok {
		return id, nil
	}
	err = again(ctx, "record rule", func(ctx context.Context) error {
		return s.pool.QueryRow(ctx, ruleInsert, hash[:], rule.Rule, rule.Engine, string(rule.Category), rule.Severity.Rank(), string(rule.Outcome),
			notNil(rule.WCAG), notNil(rule.ACTRules), rule.Help, rule.Title).Scan(&id)
	})
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	s.rules[hash] = id
	s.mu.Unlock()
	return id, nil
}

func notNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
