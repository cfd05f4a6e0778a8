package migrate_test

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"visite/internal/pgtest"
	"visite/internal/postgres/migrate"
)

// shapeOf lists every column, index and constraint of a database.
func shapeOf(t *testing.T, url string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var shape string
	err = conn.QueryRow(t.Context(), `SELECT string_agg(line, E'\n' ORDER BY line) FROM (
    SELECT format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) AS line
        FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'goose_db_version'
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> 'goose_db_version'
    UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text <> 'goose_db_version'
    UNION ALL SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace) x`).Scan(&shape)
	if err != nil {
		t.Fatal(err)
	}
	return shape
}

func TestStepsGoUpAndDownAndUpAgain(t *testing.T) {
	url := pgtest.EmptyURL(t)
	before, err := migrate.Read(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if before.Current != 0 || before.Latest < 2 || before.UpToDate() {
		t.Errorf("an empty database is at %+v", before)
	}
	after, err := migrate.Up(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if after.Current != before.Latest || !after.UpToDate() {
		t.Errorf("after all steps at %+v, want %d", after, before.Latest)
	}
	first := shapeOf(t, url)
	if err := migrate.DownTo(t.Context(), url, 0); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var left int
	err = conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace
AND relkind IN ('r', 'p', 'S', 'v') AND relname NOT LIKE 'goose_db_version%'`).Scan(&left)
	if err != nil || left != 0 {
		t.Errorf("%d objects are left after all steps were undone (error %v)", left, err)
	}
	if _, err := migrate.Up(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	if second := shapeOf(t, url); second != first {
		t.Errorf("the second way up ends elsewhere:\n%s\nwant\n%s", second, first)
	}
}

func TestSeveralMigratorsAtOnce(t *testing.T) {
	url := pgtest.EmptyURL(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			state, err := migrate.Up(t.Context(), url)
			if err != nil || !state.UpToDate() {
				t.Errorf("at %+v, error %v", state, err)
			}
		})
	}
	all.Wait()
}
