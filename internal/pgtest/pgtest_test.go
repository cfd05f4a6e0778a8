package pgtest

import "testing"

func TestEachTestHasItsOwnMigratedDatabase(t *testing.T) {
	one, two := DB(t), DB(t)
	if _, err := one.Exec(t.Context(), `INSERT INTO workspaces (id, name) VALUES ('w1', 'one')`); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := two.QueryRow(t.Context(), `SELECT count(*) FROM workspaces`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	if n != 0 {
		t.Errorf("the second database has %d workspaces, want 0", n)
	}
}

func BenchmarkURL(b *testing.B) {
	for b.Loop() {
		URL(b)
	}
}
