package live

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/expr"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// A formula's n is never below what dpcalc computes, above it by one at most and a part in
// 1e12, also where the real n is nearly whole; and without the part in 1e12 it would be
// below.
func TestFormulasNeverBelow(t *testing.T) {
	r := rand.New(rand.NewPCG(107, 108))
	forms := ClosedForms(transfer.Goal{})
	below := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		form := forms[name]
		method, _ := transfer.Lookup(name)
		goals := 0
		for range 120 {
			chosen := transfer.Goal{
				Samples: int64(math.Exp(5 + 24*r.Float64())), Queries: 1 + int64(math.Exp(6*r.Float64())),
				Beta: theory.LogProb(-math.Exp(5*r.Float64() - 2)),
			}
			if method.Feedbacks != nil {
				chosen.Feedback = method.Feedbacks[0]
			}
			switch chosen.Feedback {
			case transfer.Answers:
				chosen.Budget = 1 + r.Int64N(chosen.Queries)
			case transfer.Gate:
				chosen.Passes = 1 + r.Int64N(chosen.Queries)
			}
			if !form.Parts.None() {
				chosen.Samples *= chosen.Queries
			}
			a, err := method.Solve(chosen)
			if err != nil || a.Status != transfer.OK || a.Tau > 0.9 {
				continue
			}
			checkFormulaOfTau(t, form, a, r)
			for _, tau := range []float64{a.Tau, math.Nextafter(a.Tau, 0), a.Tau * (1 - 1e-9)} {
				goal := chosen
				goal.Samples, goal.Tau = 0, tau
				plan, err := method.Solve(goal)
				if err != nil || plan.Status != transfer.OK {
					t.Fatalf("%s %+v: %+v, %v", name, goal, plan, err)
				}
				values := map[string]any{
					"queries": float64(goal.Queries), "tau": tau, "ln_inv_beta": -goal.Beta.Ln(), "budget": float64(goal.Budget),
					"epsilon": "", "cells": float64(plan.Mechanism.Cells), "passes": float64(goal.Passes),
				}
				sheet := expr.Sheet{Cell: func(name string) any { return values[name] }, Near: commandtest.Rough(r)}
				count := func(formula expr.X) float64 {
					n, ok := sheet.Value(formula).(float64)
					if !ok {
						t.Fatalf("%s %+v: %s is no number", name, goal, formula)
					}
					return n
				}
				want, step := float64(plan.Samples), 1.0
				if !form.Parts.None() {
					step = float64(goal.Queries)
				}
				most := want*(1+2e-12) + step
				if form.atMost {
					most = (want+0.75/(2*tau*tau))*(1+tau*tau) + 1 // ln N is at most ln 2 too large
				}
				if n := count(form.Rows()); !(n >= want && n <= most) {
					t.Errorf("%s %+v: the sheet says %.0f, dpcalc %.0f", name, goal, n, want)
				}
				bare := expr.Int(form.Need).Plus(expr.N(1))
				if !form.Parts.None() {
					bare = form.Parts.Times(bare)
				}
				if count(bare) < want {
					below[name]++
				}
				goals++
			}
		}
		if goals < 50 {
			t.Errorf("%s: only %d goals", name, goals)
		}
	}
	if len(below) < 5 {
		t.Errorf("without the part in 1e12 only %v are below", below)
	}
}

// checkFormulaOfTau compares the formula of the tau that some rows reach with a solved one: never below it, and the
// same to a part in 1e8 where the formula is not said to be above.
func checkFormulaOfTau(t *testing.T, form *ClosedForm, solved transfer.Answer, r *rand.Rand) {
	t.Helper()
	if form.tau.None() {
		return
	}
	values := map[string]any{
		"queries": float64(solved.Queries), "samples": float64(solved.Samples), "ln_inv_beta": -solved.Beta.Ln(),
		"budget": float64(solved.Budget), "epsilon": "", "cells": float64(solved.Mechanism.Cells),
		"passes": float64(solved.Passes),
	}
	sheet := expr.Sheet{Cell: func(name string) any { return values[name] }, Near: commandtest.Rough(r)}
	most := 1 + 1e-8
	switch square := solved.Tau * solved.Tau; {
	case form.atMost: // ln N is at most ln 2 too large
		most = (1 + 0.375/(2*float64(solved.Samples)*square)) * (1 + square)
	case form.tauMost:
		most = 1.03 + square
	}
	if tau, ok := sheet.Value(form.tau).(float64); !ok || tau < solved.Tau || tau > solved.Tau*most {
		t.Errorf("%+v: the sheet says %v, dpcalc %v", solved.Goal, tau, solved.Tau)
	}
}
