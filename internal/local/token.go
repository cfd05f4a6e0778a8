package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"time"
)

// workspaceName is what the local stack's own workspace is called.
const workspaceName = "local"

// ReadToken reads a file that holds an API token and nothing else.
func ReadToken(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(b))
	if token == "" || strings.ContainsAny(token, " \t\r\n") || len(token) > 512 {
		return "", fmt.Errorf("%s holds no token", path)
	}
	return token, nil
}

// ensureToken leaves a token in the file that opens a workspace of this API,
// making a workspace with the bootstrap secret where the one there does not.
func ensureToken(ctx context.Context, api, bootstrap, file string) error {
	token, err := ReadToken(file)
	if err == nil {
		ok, err := tokenWorks(ctx, api, token)
		if err != nil || ok {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("token file: %w; remove it to have a new one made", err)
	}
	if token, err = newWorkspace(ctx, api, bootstrap); err != nil {
		return err
	}
	return writeAtomically(file, []byte(token+"\n"), 0o600)
}

// tokenWorks is false where the API does not know the token: its database is
// another one than the token was made for.
func tokenWorks(ctx context.Context, api, token string) (bool, error) {
	resp, err := call(ctx, http.MethodGet, api+"/v1/sites?limit=1", token, nil)
	if err != nil {
		return false, fmt.Errorf("check the local token: %w", err)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		return true, nil
	case http.StatusUnauthorized:
		return false, nil
	default:
		return false, fmt.Errorf("check the local token: the API says %s", resp.Status)
	}
}

func newWorkspace(ctx context.Context, api, bootstrap string) (token string, err error) {
	resp, err := call(ctx, http.MethodPost, api+"/v1/workspaces", bootstrap, []byte(`{"name":"`+workspaceName+`"}`))
	if err != nil {
		return "", fmt.Errorf("make the local workspace: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		return "", fmt.Errorf("make the local workspace: the API says %s", resp.Status)
	}
	var made struct {
		Token string `json:"token"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&made); err != nil || made.Token == "" {
		return "", fmt.Errorf("make the local workspace: the API's answer holds no token")
	}
	return made.Token, nil
}

// direct asks this machine itself, whatever proxy the environment names.
var direct = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}

func call(ctx context.Context, method, url, token string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return direct.Do(req)
}

// checkReady asks the API whether it serves, database and Temporal included.
func checkReady(ctx context.Context, api string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, api+"/readyz", nil)
	if err != nil {
		return err
	}
	resp, err := direct.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the API says %s", resp.Status)
	}
	return nil
}
