package serve

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/internal/text"
)

// Tokens say which team a token belongs to. They have the SHA-256 of each token and no token.
type Tokens struct{ list []hashed }

type hashed struct {
	team string
	sum  [sha256.Size]byte
}

// NewToken makes a token of 260 random bits for a team, and the line that [ReadTokens] reads.
func NewToken(team string) (token, line string, err error) {
	if err := validTeam(team); err != nil {
		return "", "", err
	}
	token = "dpcalc_" + rand.Text() + rand.Text()
	sum := sha256.Sum256([]byte(token))
	return token, team + " " + hex.EncodeToString(sum[:]), nil
}

func validTeam(team string) error {
	if team == "" || team != strings.TrimSpace(team) {
		return inputf("team: got %s, want a name without blanks around it", text.Shown(team))
	}
	return holdout.ValidName("team", team)
}

// ReadTokens reads lines of a team's name, a blank, and the SHA-256 of one of its tokens in hexadecimal digits. A team
// may have several tokens.
func ReadTokens(in io.Reader) (*Tokens, error) {
	t := &Tokens{}
	seen := make(map[[sha256.Size]byte]bool)
	lines := bufio.NewScanner(in)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		at := max(strings.LastIndexByte(line, ' '), 0)
		sum, err := hex.DecodeString(line[at:][min(at, 1):])
		if err != nil || len(sum) != sha256.Size {
			return nil, inputf("line %d: got no SHA-256 at its end, want NAME SHA256-HEX", number)
		}
		h := hashed{team: strings.TrimSpace(line[:at]), sum: [sha256.Size]byte(sum)}
		if err := validTeam(h.team); err != nil {
			return nil, inputf("line %d: %v", number, err)
		}
		if seen[h.sum] {
			return nil, inputf("line %d: got the token of an earlier line, want every token once", number)
		}
		seen[h.sum] = true
		t.list = append(t.list, h)
	}
	if len(t.list) == 0 && lines.Err() == nil {
		return nil, inputf("got no line, want NAME SHA256-HEX")
	}
	return t, lines.Err()
}

// team is whose token a request carries.
func (t *Tokens) team(r *http.Request) (string, bool) {
	scheme, token, _ := strings.Cut(only(r.Header["Authorization"]), " ")
	team, known := t.of(token)
	if !known || !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return team, true
}

// of is whose token it is. All hashes are compared, each in constant time.
func (t *Tokens) of(token string) (string, bool) {
	sum := sha256.Sum256([]byte(token))
	found := -1
	for i := range t.list {
		if subtle.ConstantTimeCompare(sum[:], t.list[i].sum[:]) == 1 {
			found = i
		}
	}
	if found < 0 {
		return "", false
	}
	return t.list[found].team, true
}

// only is the one text of a list, "" if there are more or none.
func only(list []string) string {
	if len(list) != 1 {
		return ""
	}
	return list[0]
}

// Has reports whether a team has a token.
func (t *Tokens) Has(team string) bool {
	return slices.ContainsFunc(t.list, func(h hashed) bool { return h.team == team })
}
