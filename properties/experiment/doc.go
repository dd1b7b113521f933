// Package experiment has the reusable-holdout experiment of Dwork et al., [Holdout], which shows what adaptivity does
// and what the theorems repair. Its tests have a second one: p-values of tests that were selected in view of the data.
// The seed of an experiment determines its rows.
package experiment
