package steps

import (
	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

func replacedPure(by commands.Convention, s maxinfo.Step) (maxinfo.Step, error) {
	a, err := by.Approx(theory.Pure{Epsilon: s.(maxinfo.PureDP).Epsilon}.Approx())
	return maxinfo.PureDP{Epsilon: a.Epsilon}, err
}

func replacedApprox(by commands.Convention, s maxinfo.Step) (maxinfo.Step, error) {
	given := s.(maxinfo.ApproxDP)
	a, err := by.Approx(theory.Approx{Epsilon: given.Epsilon, LnDelta: given.LnDelta})
	return maxinfo.ApproxDP{Epsilon: a.Epsilon, LnDelta: a.LnDelta}, err
}

func replacedGDP(by commands.Convention, s maxinfo.Step) (maxinfo.Step, error) {
	mu, err := by.Mu(s.(maxinfo.GDP).Mu)
	return maxinfo.GDP{Mu: mu}, err
}

func replacedRenyi(by commands.Convention, s maxinfo.Step) (maxinfo.Step, error) {
	if by != commands.ByAdding {
		return s, nil
	}
	converted, _, err := maxinfo.Replaced(s)
	if err != nil {
		return s, usage.Errorf("--%s: got %s, want less privacy lost: %v", commands.NeighboursKey, string(by), err)
	}
	return converted, nil
}
