package main

import (
	"os"
	"os/signal"
)

// listen is told of the one signal that there is.
func listen(ended chan<- os.Signal) { signal.Notify(ended, os.Interrupt) }
