package serve

import (
	"sync"
	"time"
)

const (
	burstSeconds = 10  // of a rate that may come at once
	atOnce       = 32  // requests of a team that are being answered
	publicRate   = 100 // requests a second of all who look at a public board
)

// limits keep each team to its rate. A team has a bucket, and all requests without a known token share one.
type limits struct {
	rate float64 // requests a second
	now  func() time.Time

	mu      sync.Mutex
	buckets map[string]*bucket
}

func newLimits(rate float64) *limits {
	return &limits{rate: rate, now: time.Now, buckets: make(map[string]*bucket)}
}

type bucket struct {
	left    float64 // requests that may come at once
	at      time.Time
	busy    int   // requests that are being answered
	refused int64 // since the last that was not
}

// enter lets a request of a team in, and says how many of the team were refused since the last one.
func (l *limits) enter(team string) (refused int64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, most := l.now(), max(burstSeconds*l.rate, 1)
	b := l.buckets[team]
	if b == nil {
		b = &bucket{left: most, at: now}
		l.buckets[team] = b
	}
	b.left = min(b.left+l.rate*max(now.Sub(b.at).Seconds(), 0), most)
	b.at = now
	if b.left < 1 || b.busy >= atOnce {
		b.refused++
		return 0, false
	}
	b.left--
	b.busy++
	refused, b.refused = b.refused, 0
	return refused, true
}

// leave ends a request.
func (l *limits) leave(team string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buckets[team].busy--
}
