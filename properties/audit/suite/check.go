package suite

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/properties/audit"
	"github.com/dpcalc/dpcalc/theory"
)

// The names of the checks.
const (
	checkEpsilon     = "epsilon"         // pure privacy
	checkMu          = "mu"              // Gaussian privacy
	checkDelta       = "delta"           // the curve of (epsilon, delta)
	checkTradeOff    = "trade-off"       // the trade-off curve
	checkZCDP        = "zcdp"            // zero-concentrated privacy
	checkMaxInfo     = "max-information" // what a transcript reveals of a sample
	checkTranscripts = "transcripts"     // how many there are
	checkAccuracy    = "accuracy"        // the tail of the error
	checkSampler     = "sampler"         // draws from the law
	checkPrivacy     = "privacy"         // bets against the claim
)

// subject is a mechanism as the checks see it. A nil field is not checked.
type subject struct {
	claim       claim
	laws        *laws
	transcripts float64  // the logarithm of how many there may be; 0 if that is not the claim
	tight       []string // the checks whose bound the laws attain
	poses       *laws    // the laws that the samplers are said to draw from, if not their own
	drawn       *drawn   // in place of the laws' samplers
	mistake     *mistake
	bets        *bets
}

// laws is a mechanism on every data set of so many records with so many values each.
type laws struct {
	records, values int
	all             func() []mechanism.Finite // computed once
}

func enumerated(records, values int, on func(data []int) mechanism.Finite) *laws {
	l := &laws{records: records, values: values}
	l.all = sync.OnceValue(func() (all []mechanism.Finite) {
		for i := range int(math.Pow(float64(values), float64(records))) {
			all = append(all, on(l.data(i)))
		}
		return all
	})
	return l
}

// data is the i-th data set.
func (l *laws) data(i int) []int {
	records := make([]int, l.records)
	for k := l.records - 1; k >= 0; k-- {
		records[k] = i % l.values
		i /= l.values
	}
	return records
}

// neighbours says whether two data sets differ in one record.
func (l *laws) neighbours(i, j int) bool {
	a, b, differ := l.data(i), l.data(j), 0
	for k := range a {
		if a[k] != b[k] {
			differ++
		}
	}
	return differ == 1
}

// worst finds the pair of neighbours with the largest measure, which takes both orders.
func (l *laws) worst(measure func(*audit.Pair) (float64, error)) (float64, *audit.Pair, string, error) {
	table := each.Of(l.all(), func(f mechanism.Finite) []theory.LogProb { return f.Law })
	w, err := audit.Worst(table, l.neighbours, measure)
	where := fmt.Sprintf("data %v and %v", l.data(w.First), l.data(w.Second))
	return w.Value, must(audit.NewPair(table[w.First], table[w.Second])), where, err
}

// mistake is an error beyond a bound. It is exact or drawn.
type mistake struct {
	text  string
	bound theory.LogProb                     // on its probability, for any data
	made  func(data []int, outcome int) bool // for the laws
	draw  func(r *rand.Rand) bool
	cost  int64 // so many samples are spared
}

// drawn is a sampler with the law that it should have.
type drawn struct {
	text string
	law  []theory.LogProb
	draw func(r *rand.Rand) int
	cost int64 // so many samples are spared
}

// bets is a mechanism on two neighbouring inputs.
type bets struct {
	text          string // the inputs
	first, second audit.Sampler
	width         int
	features      []func(out []float64) float64
}

func (s *subject) checks() (list []Check) {
	exactly := func(name string, asked bool, check func() (Row, error)) {
		if asked {
			list = append(list, Check{Name: name, Layer: Exact, Tight: slices.Contains(s.tight, name), exact: check})
		}
	}
	sampled := func(name string, asked bool, check func(audit.Plan, *audit.Alarm) (Row, error)) {
		if asked {
			list = append(list, Check{Name: name, Layer: Statistical, statistical: check})
		}
	}
	exact, c := s.laws != nil, &s.claim
	exactly(checkEpsilon, exact && c.epsilon > 0, s.measured(c.epsilon, (*audit.Pair).Epsilon))
	exactly(checkMu, exact && c.mu > 0, s.measured(c.mu, (*audit.Pair).Mu))
	exactly(checkDelta, exact && c.delta != nil, s.delta)
	exactly(checkTradeOff, exact && c.delta != nil, s.tradeOff)
	exactly(checkZCDP, exact && c.rho > 0, s.measured(c.rho, (*audit.Pair).ZCDP))
	exactly(checkMaxInfo, exact && c.step != nil, s.maxInfo)
	exactly(checkTranscripts, exact && s.transcripts > 0, s.countTranscripts)
	sampled(checkSampler, exact || s.drawn != nil, s.sampler)
	exactly(checkAccuracy, s.mistake != nil && s.mistake.made != nil, s.accuracy)
	sampled(checkAccuracy, s.mistake != nil && s.mistake.made == nil, s.drawnAccuracy)
	sampled(checkPrivacy, s.bets != nil, s.privacy)
	return list
}

// compared is the row of a measure and its bound.
func compared(measured, bound float64, event string) Row {
	return Row{Measured: measured, Bound: bound, Event: event, Verdict: audit.Compare(measured, bound)}
}

// measured compares the worst of a measure of pairs with its bound.
func (s *subject) measured(bound float64, measure func(*audit.Pair) (float64, error)) func() (Row, error) {
	return func() (Row, error) {
		value, _, where, err := s.laws.worst(measure)
		if none := (*theory.NoAnswerError)(nil); errors.As(err, &none) {
			return Row{Verdict: audit.Violated, Bound: bound, Unbounded: true, Event: where + ": " + none.Reason}, nil
		}
		return compared(value, bound, where), err
	}
}

// delta compares the curve with the claim at 33 points.
func (s *subject) delta() (Row, error) {
	bound, delta, at := theory.Zero, theory.Zero, 0.0
	excess := func(p *audit.Pair) (float64, error) {
		most := math.Inf(-1)
		for i := range 33 {
			epsilon := s.claim.until * float64(i) / 32
			claimed := s.claim.delta(epsilon)
			d, err := p.LnDelta(epsilon)
			if err != nil {
				return 0, err
			}
			if x := (d - claimed).Ln(); d != theory.Zero && claimed != theory.Zero && x > most {
				most, bound, delta, at = x, claimed, d, epsilon
			}
		}
		return most, nil
	}
	_, pair, where, err := s.laws.worst(excess)
	if err != nil {
		return Row{}, err
	}
	if _, err = excess(pair); err != nil {
		return Row{}, err
	}
	return compared(delta.Value(), bound.Value(), fmt.Sprintf("%s, epsilon %.4g", where, at)), nil
}

// tradeOff compares the vertices of the trade-off curves of both orders with the claim.
func (s *subject) tradeOff() (Row, error) {
	all := s.laws.all()
	worst, most := compared(0, 0, "no event"), math.Inf(-1)
	for i := range all {
		for j := range all {
			if !s.laws.neighbours(i, j) {
				continue
			}
			for _, t := range must(audit.NewPair(all[i].Law, all[j].Law)).TradeOff() {
				// At 0 and 1 all curves meet.
				first, second := t.First.Value(), t.Second.Value()
				bound := s.claim.most(second)
				if x := math.Log(first / bound); first > 0 && first < 1 && x > most {
					most = x
					worst = compared(first, bound,
						fmt.Sprintf("data %v and %v, an event of probability %.4g on the second", s.laws.data(i), s.laws.data(j), second))
				}
			}
		}
	}
	return worst, nil
}

// maxInfo compares what the transcript reveals of independent records with every bound
// that package maxinfo has, at several slacks: of fair records, and of records that are
// hardly ever anything but 0, which reveal the most.
func (s *subject) maxInfo() (Row, error) {
	chain, err := maxinfo.Plan{Samples: int64(s.laws.records), Data: maxinfo.ProductData,
		Steps: []maxinfo.Step{s.claim.step}}.Chain()
	if err != nil {
		return Row{}, err
	}
	var worst Row
	most := math.Inf(-1)
	for _, rare := range []float64{0x1p-40, 1 - 1/float64(s.laws.values)} {
		joint := s.laws.sampled(s.laws.all(), rare)
		for _, b := range []float64{0, 1e-3, 0.05, 0.5} {
			slack := must(theory.Prob(b))
			exact, err := joint.MaxInformation(slack)
			if err != nil {
				return Row{}, err
			}
			for _, m := range chain.Methods {
				if m.Limit == nil {
					continue
				}
				bound, err := chain.MaxInformation(m, slack)
				if outside := (*theory.NotApplicableError)(nil); errors.As(err, &outside) {
					continue
				}
				if err != nil {
					return Row{}, err
				}
				x := float64(exact / bound)
				switch { // at a large slack
				case bound <= 0 && exact > bound:
					x = math.Inf(1)
				case bound <= 0:
					x = -1
				}
				if x > most {
					most = x
					worst = compared(float64(exact), float64(bound),
						fmt.Sprintf("P[row is not 0] = %.2g, slack %g, %s", rare, b, m.Name))
				}
			}
		}
	}
	return worst, nil
}

// sampled is the joint law of independent records, each of them not 0 with probability rare,
// and the transcript.
func (l *laws) sampled(all []mechanism.Finite, rare float64) *maxinfo.Joint {
	var cells []maxinfo.Cell
	for i, f := range all {
		prior := 1.0
		for _, x := range l.data(i) {
			if x == 0 {
				prior *= 1 - rare
			} else {
				prior *= rare / float64(l.values-1)
			}
		}
		for y, p := range f.Law {
			if joint := prior * p.Value(); joint >= 1e-300 {
				cells = append(cells, maxinfo.Cell{X: strconv.Itoa(i), Y: strconv.Itoa(y), P: joint})
			}
		}
	}
	return must(maxinfo.NewJoint(cells))
}

// countTranscripts compares the logarithm of the number of possible outcomes.
func (s *subject) countTranscripts() (Row, error) {
	all := s.laws.all()
	possible, n := make([]bool, len(all[0].Law)), 0
	for _, f := range all {
		for y, p := range f.Law {
			if p != theory.Zero && !possible[y] {
				possible[y] = true
				n++
			}
		}
	}
	return compared(math.Log(float64(n)), s.transcripts, fmt.Sprintf("%d transcripts", n)), nil
}

// accuracy sums the law over the errors.
func (s *subject) accuracy() (Row, error) {
	most, where := 0.0, 0
	for i, f := range s.laws.all() {
		p, data := 0.0, s.laws.data(i)
		for y, lnP := range f.Law {
			if s.mistake.made(data, y) {
				p += lnP.Value()
			}
		}
		if p > most {
			most, where = p, i
		}
	}
	return compared(most, s.mistake.bound.Value(), fmt.Sprintf("data %v: %s", s.laws.data(where), s.mistake.text)), nil
}

// jointly is the law of a data set, all being equally likely, and its outcome, with the
// samplers of other laws, which may be the same.
func (l *laws) jointly(other *laws) *drawn {
	all, samplers := l.all(), other.all()
	outcomes := len(all[0].Law)
	d := &drawn{text: fmt.Sprintf("%d data sets with %d outcomes each", len(all), outcomes)}
	for _, f := range all {
		for _, p := range f.Law {
			d.law = append(d.law, p-theory.LogProb(math.Log(float64(len(all)))))
		}
	}
	d.draw = func(r *rand.Rand) int {
		i := r.IntN(len(all))
		y := samplers[i].Draw(r)
		if y < 0 || y >= outcomes {
			return len(d.law)
		}
		return i*outcomes + y
	}
	return d
}

func (s *subject) sampler(plan audit.Plan, alarm *audit.Alarm) (Row, error) {
	d := s.drawn
	if d == nil {
		d = cmp.Or(s.poses, s.laws).jointly(s.laws)
	}
	plan.Samples = max(2, plan.Samples/max(1, d.cost))
	r, err := audit.Law{Plan: plan, Law: d.law, Draw: d.draw}.Audit(alarm)
	if err != nil {
		return Row{}, err
	}
	row := Row{
		Verdict: r.Verdict, Samples: r.Samples, Detectable: r.Detectable,
		Measured: float64(r.Count) / float64(r.Samples),
		Event:    d.text + ": none of them",
	}
	if r.Cell < len(d.law) {
		row.Bound = d.law[r.Cell].Value()
		row.Event = fmt.Sprintf("%s, number %d: p-value %.2g", d.text, r.Cell, r.PValue.Value())
	}
	return row, nil
}

func (s *subject) drawnAccuracy(plan audit.Plan, alarm *audit.Alarm) (Row, error) {
	plan.Samples = max(2, plan.Samples/max(1, s.mistake.cost))
	r, err := audit.Tail{Plan: plan, Bound: s.mistake.bound, Hit: s.mistake.draw}.Audit(alarm)
	return Row{
		Verdict: r.Verdict, Samples: r.Samples, Detectable: r.Detectable.Value(),
		Bound: s.mistake.bound.Value(), Measured: r.Lower.Value(),
		Event: fmt.Sprintf("%s: %d of %d", s.mistake.text, r.Hits, r.Samples),
	}, err
}

func (s *subject) privacy(plan audit.Plan, alarm *audit.Alarm) (Row, error) {
	b := s.bets
	r, err := audit.Privacy{
		Plan: plan, Claim: s.claim.approx, First: b.first, Second: b.second, Width: b.width, Features: b.features,
	}.Audit(alarm)
	row := Row{
		Verdict: r.Verdict, Samples: r.Samples, Detectable: r.Detectable,
		Bound: s.claim.approx.Epsilon, Measured: r.Epsilon, Event: b.text,
	}
	if e := r.Event; e.First+e.Second > 0 {
		order := ""
		if e.Reversed {
			order = "reversed, "
		}
		row.Event = fmt.Sprintf("%s, %s%s of feature %d: %d and %d of %d", b.text, order, e.View, e.Feature, e.First,
			e.Second, e.Rounds)
	}
	return row, err
}
