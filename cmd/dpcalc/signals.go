//go:build !js

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// listen is told of the signals that end the program.
func listen(ended chan<- os.Signal) {
	signal.Ignore(syscall.SIGPIPE) // a closed pipe is a write error like any other
	signal.Notify(ended, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as it is under nohup
		signal.Notify(ended, syscall.SIGHUP)
	}
}
