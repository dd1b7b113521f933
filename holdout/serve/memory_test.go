package serve

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/transfer"
)

// surplus is predictions of short ids that no ledger has, so many bytes of them.
type surplus struct {
	left, row int
	text      []byte
}

func (s *surplus) Read(b []byte) (n int, err error) {
	for n < len(b) && s.left > 0 {
		if len(s.text) == 0 {
			s.text = append(strconv.AppendInt(nil, int64(s.row), 36), ",a\n"...)
			s.row++
		}
		some := copy(b[n:min(len(b), n+s.left)], s.text)
		n, s.left, s.text = n+some, s.left-some, s.text[some:]
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// changed are ledgers whose rows have changed, or come, with their labels.
func changed(t *testing.T) map[string]func() (dir string, files []*holdout.Labels) {
	more, err := holdout.NewLabels(holdout.Columns([]string{"s0", "s1", "s2"}, []string{"a", "b", "a"}))
	if err != nil {
		t.Fatal(err)
	}
	extended := func(replace bool) func() (string, []*holdout.Labels) {
		return func() (string, []*holdout.Labels) {
			labels, _ := holdoutOf(t, 8)
			dir := create(t, labels, offered())
			l, err := holdout.Open(dir, labels)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := l.Extend(context.Background(), holdout.Extension{Labels: more, Replace: replace}); err != nil {
				t.Fatal(err)
			}
			if replace {
				return dir, []*holdout.Labels{more}
			}
			return dir, []*holdout.Labels{labels, more}
		}
	}
	return map[string]func() (string, []*holdout.Labels){
		"extended": extended(false), "replaced": extended(true),
		"arriving": func() (string, []*holdout.Labels) {
			labels, _ := holdoutOf(t, 8)
			dir := filepath.Join(t.TempDir(), "ledger")
			_, err := holdout.Create(dir, labels, holdout.Terms{Goal: transfer.Goal{Samples: 300, Queries: 5, Beta: beta(t, "0.05"),
				Arrival: &transfer.Arrival{Stages: []transfer.Stage{{Until: 2}, {More: 90, Until: 5}}}}})
			if err != nil {
				t.Fatal(err)
			}
			return dir, []*holdout.Labels{labels}
		},
	}
}

// peak measures the greatest number of bytes of the heap until it is called.
func peak() (most func() uint64) {
	ended, result := make(chan struct{}), make(chan uint64)
	go func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		greatest := uint64(0)
		for {
			metrics.Read(sample)
			greatest = max(greatest, sample[0].Value.Uint64())
			select {
			case <-ended:
				result <- greatest
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	return func() uint64 {
		close(ended)
		return <-result
	}
}

// Four bodies of surplus ids, which is as many as a team may send at once, take less than 150 MB of a server whose rows
// have changed or arrive, and each is told so in one line.
func TestSurplusIDsTakeLittleMemory(t *testing.T) {
	for name, ledger := range changed(t) {
		dir, files := ledger()
		s := run(t, dir, files[0], Options{More: files[1:]})
		patient := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		query := "?show=score"
		if name == "arriving" {
			query = ""
		}
		most := peak()
		var all sync.WaitGroup
		for range teamBodies {
			all.Go(func() {
				response, err := patient.Post("http://"+s.address+"/looks"+query, "text/csv",
					io.MultiReader(strings.NewReader("id,prediction\n"), &surplus{left: DefaultMaxBody - 100}))
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				defer response.Body.Close()
				text, err := io.ReadAll(response.Body)
				if err != nil || response.StatusCode != 400 || !strings.HasPrefix(string(text), "got more than ") ||
					strings.Count(string(text), "\n") != 1 || len(text) > 200 {
					t.Errorf("%s: got %d %s, %v, want a line of how many rows are too many", name, response.StatusCode, text, err)
				}
			})
		}
		all.Wait()
		got := most()
		if got > 150e6 {
			t.Errorf("%s: the server took %d MB, want less than 150", name, got/1e6)
		}
		s.stop()
	}
}
