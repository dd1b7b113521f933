// Package transfer turns stability into sample sizes.
//
// A mechanism that answers adaptively chosen queries and reveals little about any one record cannot overfit: its
// answers are close to the population, not only to the sample. Transfer theorems make that a number. This package
// holds a registry of [Method] values, each of which answers four questions from one inequality: how many samples, how
// many queries, what accuracy tau, what failure probability beta. Leave one of them out of a [Goal] and the method
// solves for it; give all four and it checks the plan.
//
// A newcomer states a [Goal], looks a method up by [Lookup] and calls [Method.Solve], or lets all
// [Methods] answer by [Solve], which marks the best row. Package crossing says from how many queries on a
// method beats cutting the holdout into a part for every query.
//
// The rooms below: goal holds what a plan states. Package solver finds the unknown. Package tail bounds one query, and
// tree counts what could be asked. Package noise plans Gaussian answers, and open plans without a last query. Packages
// stability and theorem bound how far a transcript moves a mean. Package thresholdout has its requirements. Above,
// forecast computes the power of gates, and crossing compares methods.
//
// Every answer is on the safe side: the least n that satisfies the inequality,
// the least tau and beta that are certified, the greatest number of queries.
package transfer
