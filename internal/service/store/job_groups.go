package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// beginGroups keeps the groups of the rows of which nothing is asked. There are
// all groups: what [changeGroups] does not find, it does not count.
func beginGroups(ctx context.Context, tx *sql.Tx, job string, all map[string]rows.GroupCount) error {
	for _, group := range slices.Sorted(maps.Keys(all)) {
		if _, err := tx.ExecContext(ctx, `INSERT INTO job_groups (job, grp, row_count, addresses) VALUES ($1, $2, $3, $4)`,
			job, group, all[group].Rows, all[group].Addresses); err != nil {
			return err
		}
	}
	return nil
}

// changeGroups adds to the groups of a job, or with sign -1 takes away.
func changeGroups(ctx context.Context, tx *sql.Tx, job string, by map[string]rows.GroupCount, sign int64) error {
	for _, group := range slices.Sorted(maps.Keys(by)) { // in one order, as in every table
		if _, err := tx.ExecContext(ctx, `
			UPDATE job_groups SET row_count = row_count + $3, addresses = addresses + $4 WHERE job = $1 AND grp = $2`,
			job, group, sign*by[group].Rows, sign*by[group].Addresses); err != nil {
			return err
		}
	}
	return nil
}

// addGroups adds counts to others.
func addGroups(to, from map[string]rows.GroupCount) {
	for group, n := range from {
		sum := to[group]
		sum.Rows, sum.Addresses = sum.Rows+n.Rows, sum.Addresses+n.Addresses
		to[group] = sum
	}
}

// readGroups adds their groups to jobs, which are at a place by their ID.
func readGroups(ctx context.Context, q querier, jobs []Job, place map[string]int, ids []any) error {
	found, err := q.QueryContext(ctx,
		`SELECT job, grp, row_count, addresses FROM job_groups WHERE job IN (`+placeholders(1, len(ids))+`)`, ids...)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		var job, group string
		var n rows.GroupCount
		if err := found.Scan(&job, &group, &n.Rows, &n.Addresses); err != nil {
			return err
		}
		j := &jobs[place[job]]
		if j.Groups == nil {
			j.Groups = make(map[string]rows.GroupCount)
		}
		j.Groups[group] = n
	}
	return found.Err()
}

// keptGroups are the groups of addresses that are to be asked about again.
func keptGroups(batches []Batch) map[string]rows.GroupCount {
	all := make(map[string]rows.GroupCount)
	for _, b := range batches {
		addGroups(all, map[string]rows.GroupCount{b.KeptGroup: {Rows: b.Rows, Addresses: int64(b.Addresses)}})
	}
	return all
}
