package usage

import (
	"runtime/debug"
	"testing"
)

// The version is the tag if there is one, else the commit of the clone, else nothing that anybody could look up.
func TestVersionOfABuild(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	recorded := func(tag string, settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{Main: debug.Module{Version: tag}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return info
	}
	for want, info := range map[string]*debug.BuildInfo{
		"v1.2.3": recorded("v1.2.3", "vcs.revision", commit),
		"v0.0.0-20260102030405-0123456789ab": recorded("v0.0.0-20260102030405-0123456789ab", "vcs.revision", commit,
			"vcs.modified", "false"),
		"devel-0123456789ab":       recorded("(devel)", "vcs", "git", "vcs.revision", commit, "vcs.modified", "false"),
		"devel-0123456789ab+dirty": recorded("", "vcs.revision", commit, "vcs.modified", "true"),
		"devel-7":                  recorded("(devel)", "vcs.revision", "7"),
		"devel":                    recorded("(devel)", "vcs.modified", "true"),
	} {
		if got := versionOf(info); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := versionOf(nil); got != "devel" {
		t.Errorf("without a record: %s", got)
	}
}
