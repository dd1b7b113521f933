// Package lowvariance is the bound for Gaussian answers to queries that vary little from record to record:
// differences of models that seldom differ, accuracies that are known to be high, any query with a small variance.
// Every value is shown. The number of records is about in proportion to the second moment where that is well above tau;
// below about 2 tau it hardly falls further.
//
// A [Plan] is solved for its noise by [Plan.Blocks], which falls from query to query, or by [Plan.EvenNoise], one
// for all. [Bound] certifies any other noise that was fixed in advance. What is known of the queries is one of
// [Values]. The theorem and its proof are in docs/theorems/variance.md.
//
// Numbers are on the safe side: an error that is returned is never below the theorem's.
package lowvariance
