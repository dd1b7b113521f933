package serve

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/holdout"
)

// childVariable makes the tests' binary a server of the ledger in a folder, which prints its address.
const childVariable = "DPCALC_SERVE_LEDGER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		fmt.Println("ended:", child(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func child(dir string) error {
	labels, _ := holdoutOf(&testing.T{}, 1)
	s, err := New(dir, labels, Options{Rate: 1e6})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	return s.Serve(context.Background(), l)
}

// start starts a child, and returns its address.
func start(t *testing.T, dir string) (c *exec.Cmd, address string) {
	t.Helper()
	c = exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childVariable+"="+dir)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	address = strings.TrimSpace(line)
	if err != nil || strings.HasPrefix(address, "ended") {
		t.Fatalf("%s, %v", address, err)
	}
	return c, address
}

// A server is killed under load, as by kill -9, and started again, five times. The ledger verifies each time, and every
// look that was answered is in the log as it was answered.
func TestKilledUnderLoad(t *testing.T) {
	t.Run("fixed", func(t *testing.T) { killed(t, answers(3000), "") })
	t.Run("open", func(t *testing.T) { killed(t, offered(), "?show=score") })
}

func killed(t *testing.T, terms holdout.Terms, query string) {
	labels, _ := holdoutOf(t, 1)
	dir := create(t, labels, terms)
	var mu sync.Mutex
	seen := make(map[string]row)
	var next atomic.Uint64
	for kill := range 5 {
		c, address := start(t, dir)
		var group sync.WaitGroup
		var answered atomic.Int64
		enough := make(chan struct{})
		var once sync.Once
		for range 20 {
			group.Go(func() {
				for {
					code, text, _, err := sends(address, looks(random(next.Add(1)), query))
					got, wrong := rowIn(text)
					if err != nil || wrong != nil {
						return // it is dead
					}
					if code != 200 || got.Repeated {
						t.Errorf("got %d, %s", code, text)
						return
					}
					mu.Lock()
					seen[got.Fingerprint] = got
					mu.Unlock()
					if answered.Add(1) == int64(10+5*kill) {
						once.Do(func() { close(enough) })
					}
				}
			})
		}
		select {
		case <-enough:
		case <-time.After(20 * time.Second):
			t.Fatal("nothing is answered")
		}
		_ = c.Process.Kill()
		group.Wait()
		_ = c.Wait()
		v, err := holdout.Verify(dir, "")
		if err != nil || v.Looks < int64(len(seen)) {
			t.Fatalf("kill %d: %+v, %v, %d answered", kill, v, err, len(seen))
		}
	}
	_, lines, err := holdout.Read(dir)
	if err != nil || len(seen) < 5*10 {
		t.Fatalf("%d answers, %v", len(seen), err)
	}
	for _, got := range seen {
		line := lines[got.Look-1]
		if line.Look != got.Look || line.Fingerprint != got.Fingerprint || *line.Response != *got.Response {
			t.Errorf("answered as %+v and written as %+v", got, line)
		}
	}
}
