package settings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/rcpt/rcpt/internal/service/store"
)

// DatabaseFlag names the database of the service.
type DatabaseFlag struct {
	Database string `placeholder:"URL" help:"PostgreSQL database for keys, usage and other state, as postgres://user:password@host/name. Default: an embedded one in the data folder."`
}

// StateIn returns where the state is kept: in the database if one is named,
// else in the folder.
func StateIn(folder DataFlag, database DatabaseFlag) (store.Options, error) {
	if database.Database != "" {
		if err := IsPostgres("--database", database.Database); err != nil {
			return store.Options{}, err
		}
		return store.Options{DatabaseURL: database.Database}, nil
	}
	dir := folder.Folder()
	if dir == "" {
		return store.Options{}, Usage(errors.New("there is no data folder: name one with --data DIR"))
	}
	return store.Options{DataDir: dir}, nil
}

// IsPostgres fails if address is not a PostgreSQL URL. The error does not show
// it, because it may contain a password.
func IsPostgres(flag, address string) error {
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		return nil
	}
	return Usage(fmt.Errorf("%s is not a PostgreSQL database: write postgres://user:password@host/name", flag))
}

// DataFlag is the folder for the state that is kept from run to run.
type DataFlag struct {
	Data string `placeholder:"DIR" help:"Folder for the database and newer lists. Default: rcpt in the user's data folder."`
}

// Folder returns the folder, or "" if none is named and the user has none.
func (f DataFlag) Folder() string {
	if f.Data != "" {
		return f.Data
	}
	return userData(runtime.GOOS, os.Getenv)
}

// userData returns our folder for a user's data by the rules of the operating
// system. On Unix these are the XDG Base Directory Specification, which ignores
// relative paths.
func userData(system string, getenv func(string) string) string {
	home := getenv("HOME")
	var base string
	switch system {
	case "windows":
		base = getenv("LocalAppData")
	case "darwin":
		base = filepath.Join(home, "Library", "Application Support")
	default:
		if base = getenv("XDG_DATA_HOME"); !filepath.IsAbs(base) {
			base = filepath.Join(home, ".local", "share")
		}
	}
	if !filepath.IsAbs(base) {
		return ""
	}
	return filepath.Join(base, "rcpt")
}
