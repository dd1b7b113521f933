// Package ledgers reads what is handed to a ledger and writes what it answers, for the command line and over HTTP
// alike: tables of ids and values, and the rows of looks, of a status and of a log.
package ledgers
