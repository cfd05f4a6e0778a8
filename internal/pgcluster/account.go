package pgcluster

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is whom the server runs as. PostgreSQL refuses to run as root, so
// root hands it to the system user postgres, or nobody where there is none.
type account struct {
	name     string
	uid, gid int
	other    bool // not ourselves
}

func serverAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{name: "yourself", uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 == nil && err2 == nil {
			return account{name: name, uid: uid, gid: gid, other: true}, nil
		}
	}
	return account{}, fmt.Errorf("PostgreSQL does not run as root, and there is neither a user postgres nor nobody to run it as")
}

// attr makes a child run as the account.
func (a account) attr() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{}
	if a.other {
		attr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return attr
}

// own gives a path to the account.
func (a account) own(path string) error {
	if !a.other {
		return nil
	}
	return os.Chown(path, a.uid, a.gid)
}

// canEnter reports which folder on the way to dir keeps the account out.
func (a account) canEnter(dir string) error {
	if !a.other {
		return nil
	}
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil {
			return err
		}
		if !a.mayPass(info) {
			return fmt.Errorf("the system user %s, whom PostgreSQL runs as, cannot enter %s (mode %04o): choose a data folder outside it, or chmod a+x it",
				a.name, at, info.Mode().Perm())
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

func (a account) mayPass(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return true
	}
	switch {
	case int(stat.Uid) == a.uid:
		return info.Mode()&0o100 != 0
	case int(stat.Gid) == a.gid:
		return info.Mode()&0o010 != 0
	default:
		return info.Mode()&0o001 != 0
	}
}
