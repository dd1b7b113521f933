package commandtest

import "github.com/dpcalc/dpcalc/maxinfo"

// Plans are plans of one step, one of each kind. Between them they have every method.
func Plans() []maxinfo.Plan {
	var plans []maxinfo.Plan
	for _, k := range maxinfo.Kinds() {
		plans = append(plans, maxinfo.Plan{Samples: 1000, Data: maxinfo.ProductData, Steps: []maxinfo.Step{k.Example}})
	}
	return plans
}
