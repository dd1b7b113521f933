package data

// Items are the ids of a benchmark.
type Items struct {
	*Roster
	Path string
}

// NewItems reads the ids of a benchmark, which is found again by its path. The values of the table are not read.
func NewItems(t Table, path string) (*Items, error) {
	all, err := NewLabels(func(visit func(id, value string) error) error {
		return t(func(id, _ string) error { return visit(id, "item") })
	})
	if err != nil {
		return nil, inputf("population: %v", err)
	}
	return &Items{all.Roster, path}, nil
}

// Fingerprint returns the SHA-256 of the ids.
func (i *Items) Fingerprint() string {
	d := NewDigest("dpcalc benchmark 1")
	for _, row := range i.Order {
		d.Text(i.IDs[row])
	}
	return d.Sum()
}

// Drawn returns the items with labels, in the order of the labels.
func (i *Items) Drawn(labels *Labels) (rows []int32, err error) {
	var surplus idSample
	for _, id := range labels.IDs {
		row := i.Find(id)
		if row < 0 {
			surplus.add(id)
		}
		rows = append(rows, row)
	}
	if surplus.count > 0 {
		return nil, inputf("population: got labels with %s, want ids of the benchmark", surplus.text("unknown"))
	}
	return rows, nil
}
