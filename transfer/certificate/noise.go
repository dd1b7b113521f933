package certificate

import (
	"fmt"
	"math"
	"math/big"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/noise"
)

// grain is what orders and the places of tangents are over.
const grain = 1 << 30

// mostAnswers keeps Coq's time within a minute or two.
const mostAnswers = 10

// noisyAnswer is an answer as a file has it: its noise, its order, and where tangents touch and cells end.
type noisyAnswer struct {
	SD, Cut                            *big.Int
	Order, Tangent, Start, Edge, Other int64
	Cells                              []cellPlaces
	Last                               cellPlaces
}

type cellPlaces struct{ Touch, Excess, End int64 }

// noisy is the joint bound, answer by answer.
func noisy(p *plan) (text string, err error) {
	if p.Queries > mostAnswers {
		return "", fmt.Errorf("a file proves plans of at most %d noisy answers", mostAnswers)
	}
	bound, err := noise.New(p.Samples, noise.SidesOf(p.OneSided))
	if err != nil {
		return "", err
	}
	var blocks []theory.NoiseBlock
	var scales []float64
	for block := range (transfer.Answer{Goal: p.Goal, Mechanism: p.run}).Noise() {
		for count := block.Queries; count > 0; count-- {
			block.Queries = 1
			blocks, scales = append(blocks, block), append(scales, block.Scale, block.Cut)
		}
	}
	whole, over := overOne(scales...)
	answers := make([]noisyAnswer, len(blocks))
	for i, block := range blocks {
		evidence := bound.Evidence(block, p.Tau)
		if _, err := bound.Answer(block, p.Tau); err != nil {
			return "", err
		}
		answers[i] = placed(evidence, block)
		answers[i].SD, answers[i].Cut = whole[2*i], whole[2*i+1]
	}
	p.level = p.beta
	p.values["answers"], p.values["over"] = answers, over
	p.values["digits"] = 64 + 2*(p.beta.over.BitLen()-p.beta.num.BitLen())
	return "noise", nil
}

// placed rounds what certifies an answer. Whatever is rounded so certifies it too; its tangents touch below the cut.
func placed(e noise.Evidence, block theory.NoiseBlock) (a noisyAnswer) {
	place := func(x float64) int64 { return int64(math.Round(x * grain)) }
	below := func(w float64) int64 {
		if block.Cut > 0 {
			w = min(w, block.Cut-2./grain)
		}
		return place(w)
	}
	if !math.IsInf(e.Order, 1) {
		a.Order = place(e.Order)
	}
	a.Other = below(e.Other)
	if e.Other != 0 && a.Other == 0 || block.Scale == 0 { // 0 stands for both sides alike
		a.Other = 1
	}
	a.Tangent, a.Start, a.Edge = below(e.Tangent), int64(e.Start*grain), below(e.Edge)
	for _, c := range e.Cells {
		a.Cells = append(a.Cells, cellPlaces{place(c.Touch), below(c.Excess), place(c.End)})
	}
	if last := len(a.Cells) - 1; last >= 0 {
		a.Cells, a.Last = a.Cells[:last], a.Cells[last]
	}
	return a
}
