package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rcpt/rcpt/store"
)

// databaseFlag names the database with the state of the service.
type databaseFlag struct {
	Database string `placeholder:"URL" help:"PostgreSQL database with keys, usage and the like, as postgres://user:password@host/name. Default: an embedded one in the data folder."`
}

// stateIn says where the state is kept: in the database, or else in the folder.
func stateIn(folder dataFlag, database databaseFlag) (store.Options, error) {
	if database.Database != "" {
		if err := isPostgres("--database", database.Database); err != nil {
			return store.Options{}, err
		}
		return store.Options{DatabaseURL: database.Database}, nil
	}
	dir := folder.folder()
	if dir == "" {
		return store.Options{}, usage(errors.New("there is no data folder: name one with --data"))
	}
	return store.Options{DataDir: dir}, nil
}

// isPostgres fails where address is none of PostgreSQL. The error does not show it, as there may be a password in it.
func isPostgres(flag, address string) error {
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		return nil
	}
	return usage(fmt.Errorf("%s is no PostgreSQL database: its address looks like postgres://user:password@host/name", flag))
}
