package certificate

import "math/big"

// sealed is a tail of each finalist, on one side or both.
func sealed(p *plan) (text string, err error) { return "sealed", p.finalists() }

// finalists finds the tails of finalists, each of which has a share of beta. The two tails of 0/1 values divide it anew
// at each break point.
func (p *plan) finalists() error {
	looks := big.NewInt(p.Queries)
	if p.isTwoSided() && !p.Query.IsZeroOne() {
		looks.Lsh(looks, 1)
	}
	p.level = p.beta.shared(looks)
	return p.tails()
}
