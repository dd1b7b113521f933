package certificate

import "errors"

// leads is the binomial tails of wins among the decided rows, of two declared classes.
func (p *plan) leads() (text string, err error) {
	m := p.DecidedRows(p.Samples)
	p.values["decided"] = m
	switch {
	case p.isTooFine():
		return "", errDecimals
	case m < 1:
		return "", errors.New("the plan has no row on which two models differ")
	case p.Bar.Given:
		return "lead_bar", p.winsAtBar()
	}
	wins := *p
	wins.Samples, wins.tau, wins.scale = m, p.Samples*p.tau, 2*m*p.one
	err = wins.groups()
	p.text = wins.text
	return "lead", err
}

// winsAtBar is the binomial tails of wins at a bar. With one row fewer one of them may be too great.
func (p *plan) winsAtBar() error {
	for _, b := range p.winsAt(p.Samples) {
		if b.ln() > p.level.ln() {
			return errTails
		}
	}
	for _, b := range p.winsAt(p.Samples - 1) {
		if b.exceeds(p.level) {
			p.minimum = p.filled("fewer_count", "tail", b, "what", "wins")
		}
	}
	return nil
}

// winsAt lists the tails of wins on so many rows, in the model's lead and in the incumbent's. All that may be decided
// are, or one fewer.
func (p *plan) winsAt(rows int64) (all []bound) {
	c, s, m, d := p.bar-p.one, p.tau, p.DecidedRows(rows), 2*p.one
	for _, r := range []int64{m, m - 1} {
		for _, lead := range [][2]int64{{c, c + s}, {-c - 2*s, -c - s}} {
			b := bound{N: r, P: r*p.one + rows*lead[0], Over: r * d, K: (r*p.one + rows*lead[1] + d - 1) / d}
			if r > 0 && b.K <= r && b.P > 0 {
				all = append(all, b)
			}
			if p.OneSided {
				break
			}
		}
	}
	return all
}
