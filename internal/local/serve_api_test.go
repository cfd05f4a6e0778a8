package local

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"visite/internal/config"
	"visite/internal/pgtest"
	"visite/internal/temporaltest"
)

const testBootstrap = "a-secret-of-a-test"

// apiConfig is a deployment's settings on free ports of loopback.
func apiConfig(t *testing.T, database string) config.Config {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	cfg, err := config.Load([]string{
		"VISITE_DATABASE_URL=" + database, "VISITE_TEMPORAL_ADDRESS=" + temporaltest.Server(t),
		"VISITE_LISTEN=" + l.Addr().String(), "VISITE_BOOTSTRAP_TOKEN=" + testBootstrap, "VISITE_ALLOW_LOOPBACK=true",
	})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestAPIServesUntilItsEnd(t *testing.T) {
	cfg := apiConfig(t, pgtest.URL(t))
	var logged saying
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- RunAPI(ctx, cfg, slog.New(slog.NewTextHandler(&logged, nil))) }()
	base := "http://" + cfg.Listen
	within(t, 20*time.Second, "the API is ready", func() bool { return checkReady(context.Background(), base) == nil })

	token, err := newWorkspace(context.Background(), base, testBootstrap)
	if err != nil {
		t.Fatal(err)
	}
	if works, err := tokenWorks(context.Background(), base, token); !works || err != nil {
		t.Errorf("the new token works: %v, %v", works, err)
	}
	if works, err := tokenWorks(context.Background(), base, "vst_other"); works || err != nil {
		t.Errorf("another token works: %v, %v", works, err)
	}
	for order, want := range map[string]string{
		`{"url":"http://127.0.0.1:9/","engine":"http"}`:                            "202 /v1/scans/",
		`{"url":"http://10.0.0.1/","engine":"http","contact":"a@visite.example"}`:  "422 guarded-address",
		`{"url":"http://x.invalid/","engine":"http","contact":"a@visite.example"}`: "422 name-not-", // found or resolved
	} {
		if got := orderScan(t, base, token, order); !strings.HasPrefix(got, want) {
			t.Errorf("order %s: %s, want %s", order, got, want)
		}
	}
	for _, secret := range []string{token, testBootstrap, "password"} {
		if strings.Contains(logged.String(), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}

	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(shutdownWithin + 2*time.Second):
		t.Fatal("the API does not end")
	}
}

// orderScan tells the status with Location or the problem's code.
func orderScan(t *testing.T, base, token, order string) string {
	t.Helper()
	resp, err := call(context.Background(), http.MethodPost, base+"/v1/scans", token, []byte(order))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var problem struct{ Errors []struct{ Code string } }
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(&problem); err != nil {
		t.Fatalf("%s: %s", resp.Status, body)
	}
	told := resp.Header.Get("Location")
	if len(problem.Errors) > 0 {
		told = problem.Errors[0].Code
	}
	return fmt.Sprintf("%d %s", resp.StatusCode, told)
}

func TestAPIDeclinesADatabaseWithoutItsTables(t *testing.T) {
	cfg := apiConfig(t, pgtest.EmptyURL(t))
	err := RunAPI(context.Background(), cfg, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "run `visite migrate`") {
		t.Errorf("%v, want a hint at visite migrate", err)
	}
}
