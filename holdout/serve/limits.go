package serve

import (
	"context"
	"sync"
	"time"
)

const (
	burstSeconds = 10  // of a rate that may come at once
	atOnce       = 32  // requests of a team that are being answered
	publicRate   = 100 // requests a second of all who look at a public board

	mostRecord = 1 << 20 // bytes of a row of predictions
	teamBodies = 4       // predictions of a team that are read at once
	mostBodies = 32      // of all teams
)

// limits keep each team to its rate. A team has a bucket, and all requests without a known token share one.
type limits struct {
	rate float64 // requests a second
	now  func() time.Time

	bodies chan struct{} // holds one for all predictions that are being read

	mu      sync.Mutex
	buckets map[string]*bucket
}

func newLimits(rate float64) *limits {
	return &limits{rate: rate, now: time.Now, bodies: make(chan struct{}, mostBodies),
		buckets: make(map[string]*bucket)}
}

type bucket struct {
	left    float64 // requests that may come at once
	at      time.Time
	busy    int   // requests that are being answered
	refused int64 // since the last that was not

	bodies chan struct{} // holds one for all predictions of the team that are being read
}

// enter lets a request of a team in, and says how many of the team were refused since the last one.
func (l *limits) enter(team string) (refused int64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, most := l.now(), max(burstSeconds*l.rate, 1)
	b := l.buckets[team]
	if b == nil {
		b = &bucket{left: most, at: now, bodies: make(chan struct{}, teamBodies)}
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

// read waits until the predictions of a team that has entered may be read, and returns a function that ends the
// reading. A team whose clients are slow keeps none of another team waiting.
func (l *limits) read(ctx context.Context, team string) (done func(), err error) {
	l.mu.Lock()
	own := l.buckets[team].bodies
	l.mu.Unlock()
	for _, bodies := range []chan struct{}{own, l.bodies} {
		select {
		case bodies <- struct{}{}:
		case <-ctx.Done():
			if bodies != own {
				<-own
			}
			return nil, context.Cause(ctx)
		}
	}
	return func() { <-l.bodies; <-own }, nil
}
