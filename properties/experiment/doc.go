// Package experiment has the experiments that show what adaptivity does, and what the
// theorems repair: [Holdout], the reusable-holdout experiment of Dwork et al., and
// [NullTests], p-values of tests that were selected in view of the data. The seed of an
// experiment determines its rows.
package experiment
