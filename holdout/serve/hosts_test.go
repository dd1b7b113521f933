package serve

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
)

// Hosts are the same with a port that the web leaves out, and only then.
func TestSameHost(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"127.0.0.1:8198", "127.0.0.1:8198:80"}:  false,
		{"127.0.0.1:8198", "127.0.0.1:8198:443"}: false,
		{"127.0.0.1:8198", "127.0.0.1:8198"}:     true,
		{"127.0.0.1:8198", "127.0.0.1"}:          false,
		{"board.example", "Board.Example:443"}:   true,
		{"board.example", "board.example:80"}:    true,
		{"board.example:80", "board.example"}:    true,
		{"board.example:8080", "board.example"}:  false,
		{"[::1]:80", "[::1]"}:                    true,
		{"[::1]:80", "::1"}:                      false,
		{"[::1]:8198", "[::1]:8198:80"}:          false,
	} {
		if isSameHost(pair[0], pair[1]) != want {
			t.Errorf("%s: want %v", pair, want)
		}
	}
}

// A request of no address is looked at like all others.
func TestOptions(t *testing.T) {
	labels, _ := holdoutOf(t, 1)
	s := run(t, create(t, labels, answers(2)), labels, Options{})
	for host, want := range map[string]int{"evil.example": http.StatusMisdirectedRequest, s.address: http.StatusNotFound,
		s.address + ":80": http.StatusMisdirectedRequest} {
		c, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "OPTIONS * HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", host)
		line, err := bufio.NewReader(c).ReadString('\n')
		if err != nil || !strings.HasPrefix(line, fmt.Sprint("HTTP/1.1 ", want)) {
			t.Errorf("%s: got %s, %v, want %d", host, line, err, want)
		}
		c.Close()
	}
}
