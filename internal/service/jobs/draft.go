package jobs

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Bounds of lists that wait to be started: they are in the store.
const (
	DraftsEach = 2 // of an owner; more replace the oldest
	draftsAll  = 20
)

// KeepDraft stores a list that somebody is going to look at before it is
// started, on this node or another. It is kept for an hour, and returns its ID.
func (m *Manager) KeepDraft(ctx context.Context, owner, name string, s *Spool) (id string, err error) {
	draft := rows.Job{Owner: owner, Name: name}
	j, err := m.config.Store.BeginJob(ctx, m.node, draft, 0, nil)
	if err != nil {
		return "", err
	}
	number, err := m.addOctets(ctx, j.ID, s)
	if err == nil {
		err = m.config.Store.KeepDraft(ctx, j.ID, number, s.size)
	}
	if err != nil {
		return "", errors.Join(err, m.config.Store.DropJob(context.WithoutCancel(ctx), j.ID))
	}
	return j.ID, m.dropOldDrafts(ctx, owner)
}

// addOctets stores a list as it is and returns how many segments it has.
func (m *Manager) addOctets(ctx context.Context, job string, s *Spool) (number int64, err error) {
	buffer, from := make([]byte, segmentOctets), s.Reader()
	for {
		n, err := io.ReadFull(from, buffer)
		if n == 0 && errors.Is(err, io.EOF) {
			return number, nil
		}
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return number, &DiskError{err}
		}
		data := part{partDraft, job, number}.pack(buffer[:n])
		if err := m.config.Store.AddSegment(ctx, job, number, 0, data, nil); err != nil {
			return number, err
		}
		number++
	}
}

// dropOldDrafts makes room for those that are newer.
func (m *Manager) dropOldDrafts(ctx context.Context, owner string) error {
	for whose, most := range map[string]int{owner: DraftsEach, "": draftsAll} {
		all, err := m.config.Store.Drafts(ctx, whose)
		if err != nil {
			return err
		}
		for len(all) > most {
			if err := m.DropDraft(ctx, all[0].ID, all[0].Owner); err != nil && !errors.Is(err, rows.ErrNotFound) {
				return err
			}
			all = all[1:]
		}
	}
	return nil
}

// Draft returns the list with an ID that waits to be started by its owner. Its
// Rows are octets. [rows.ErrNotFound]: the owner has no draft with this ID; it
// was started or dropped, perhaps, or its hour is over.
func (m *Manager) Draft(ctx context.Context, id, owner string) (rows.Job, error) {
	return m.config.Store.Draft(ctx, id, owner)
}

// OpenDraft reads a draft into a temporary file. The error is a *[DiskError],
// or that of the store.
func (m *Manager) OpenDraft(ctx context.Context, draft rows.Job) (*Spool, error) {
	file, err := temporary(m.config.TempDir)
	if err != nil {
		return nil, &DiskError{err}
	}
	s := &Spool{file: file, digest: sha256.New()}
	for number := range draft.Segments {
		if err = m.addSegment(ctx, s, draft.ID, number); err != nil {
			break
		}
	}
	if err == nil && s.size != draft.Rows {
		err = fmt.Errorf("job %s: %w", draft.ID, ErrDamaged)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return m.recognise(ctx, s)
}

// addSegment appends a segment of a draft to its file.
func (m *Manager) addSegment(ctx context.Context, s *Spool, draft string, number int64) error {
	packed, _, err := m.config.Store.JobSegment(ctx, draft, number)
	if err != nil {
		return err
	}
	octets, err := part{partDraft, draft, number}.unpack(packed)
	if err != nil {
		return fmt.Errorf("job %s: %w", draft, err)
	}
	if _, err := s.file.Write(octets); err != nil {
		return &DiskError{err}
	}
	s.size += int64(len(octets))
	return nil
}

// StartDraft is [Manager.Create] for a draft, whose spool is that of
// [Manager.OpenDraft]. On success the draft is deleted; after an error it can
// be started again. Errors are those of [Manager.Draft].
func (m *Manager) StartDraft(ctx context.Context, draft rows.Job, s *Spool, o Request) (rows.Job, error) {
	if err := m.config.Store.TakeDraft(ctx, m.node, draft.ID, draft.Owner); err != nil {
		return rows.Job{}, err
	}
	j, err := m.Create(ctx, s, o)
	if err != nil {
		kept := m.config.Store.KeepDraft(context.WithoutCancel(ctx), draft.ID, draft.Segments, draft.Rows)
		return j, errors.Join(err, kept)
	}
	if err := m.config.Store.DropJob(context.WithoutCancel(ctx), draft.ID); err != nil {
		m.config.Log.Warn("a list that was started is deleted later", "job", draft.ID, "error", err)
	}
	return j, nil
}

// DropDraft deletes a draft. [rows.ErrNotFound]: as [Manager.Draft].
func (m *Manager) DropDraft(ctx context.Context, id, owner string) error {
	if err := m.config.Store.TakeDraft(ctx, m.node, id, owner); err != nil {
		return err
	}
	return m.config.Store.DropJob(ctx, id)
}
