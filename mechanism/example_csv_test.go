package mechanism_test

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// accuracies reads labels and the predictions of several models, one row for each
// record, and returns the share of correct predictions of each model.
func accuracies(r io.Reader) (shares []float64, records int, err error) {
	table := csv.NewReader(r)
	head, err := table.Read()
	if err != nil {
		return nil, 0, err
	}
	shares = make([]float64, len(head)-1)
	for {
		row, err := table.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		records++
		for j := range shares {
			if row[j+1] == row[0] {
				shares[j]++
			}
		}
	}
	for j := range shares {
		shares[j] /= float64(records)
	}
	return shares, records, nil
}

// predictions stands for a file: labels and the predictions of models that are right
// with the given probabilities.
func predictions(records int, right ...float64) io.Reader {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("label")
	for j := range right {
		fmt.Fprintf(&b, ",model %d", j+1)
	}
	b.WriteByte('\n')
	for range records {
		label := r.IntN(2)
		b.WriteString(strconv.Itoa(label))
		for _, p := range right {
			prediction := label
			if r.Float64() > p {
				prediction = 1 - label
			}
			fmt.Fprintf(&b, ",%d", prediction)
		}
		b.WriteByte('\n')
	}
	return strings.NewReader(b.String())
}

// The accuracies of models on a holdout, each within 0.1 of that in the population
// except with probability 0.05 for all of them together, although each model may have
// been built with the answers for those before it in view. The plan says how many
// records that takes and what noise the answers must carry.
func ExampleGaussianAnswers_csv() {
	right := []float64{0.61, 0.72, 0.70, 0.74}
	method, _ := transfer.Lookup("gaussian-schedule")
	plan, err := method.Solve(transfer.Goal{
		Queries: int64(len(right)), Tau: 0.1, Beta: theory.LogProb(math.Log(0.05)), Query: transfer.Binary,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	noise := plan.Mechanism
	fmt.Printf("%d rows, noise of sd %.4f at first and %.4f at last\n", plan.Samples, noise.ScaleFirst, noise.Scale)

	shares, records, err := accuracies(predictions(int(plan.Samples), right...))
	if err != nil {
		fmt.Println(err)
		return
	}
	gaussian := mechanism.GaussianAnswers{Samples: int64(records), Noise: slices.Collect(plan.Noise())}
	answers, err := gaussian.Start(rand.New(rand.NewPCG(3, 4)))
	if err != nil {
		fmt.Println(err)
		return
	}
	for j, share := range shares {
		answer, _ := answers.Ask(share)
		fmt.Printf("model %d: %.3f\n", j+1, answer)
	}
	_, ok := answers.Ask(shares[0])
	fmt.Println("a fifth answer:", ok)
	// Output:
	// 338 rows, noise of sd 0.0373 at first and 0.0075 at last
	// model 1: 0.570
	// model 2: 0.684
	// model 3: 0.709
	// model 4: 0.712
	// a fifth answer: false
}

// Accuracies on a training set of the analyst's own are answered as they are, until one
// is off by more than the noisy threshold: that one is answered from the holdout, with
// noise, and costs one of the budget.
func ExampleThresholdout_csv() {
	method, _ := transfer.Lookup("thresholdout")
	plan, err := method.Solve(transfer.Goal{Queries: 4, Tau: 0.3, Beta: theory.LogProb(math.Log(0.05)), Budget: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d rows, threshold %.3f, noise scale %.4f\n", plan.Samples, plan.Mechanism.Threshold, plan.Mechanism.Scale)

	training := []float64{0.63, 0.74, 0.99, 0.75}
	holdout, records, err := accuracies(predictions(int(plan.Samples), 0.61, 0.72, 0.70, 0.74))
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := mechanism.Thresholdout{
		Samples: int64(records), Budget: plan.Budget, Threshold: plan.Mechanism.Threshold, Scale: plan.Mechanism.Scale,
	}.Start(rand.New(rand.NewPCG(5, 6)))
	if err != nil {
		fmt.Println(err)
		return
	}
	for j := range training {
		answer, ok := run.Ask(mechanism.Means{Training: training[j], Holdout: holdout[j]})
		if !ok {
			fmt.Println("the budget is spent")
			return
		}
		from := "training"
		if answer.Flagged {
			from = "holdout"
		}
		fmt.Printf("model %d: %.3f (%s)\n", j+1, answer.Value, from)
	}
	// Output:
	// 18006 rows, threshold 0.225, noise scale 0.0015
	// model 1: 0.630 (training)
	// model 2: 0.740 (training)
	// model 3: 0.707 (holdout)
	// model 4: 0.750 (training)
}
