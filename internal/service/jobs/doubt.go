package jobs

import "context"

// A lease may have been committed although this node got an error: the
// connection broke after the commit, or the context ended. The store would keep
// such batches for the node as long as it lives, and nobody would work on them.
// So after each lease that fails the node gives back what it does not know of.

// doubt notes that a lease of batches of a job failed.
func (m *Manager) doubt(job string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.doubted[job] = true
}

// freeUnknown gives back the batches of a job that this node has without
// knowing, if a lease failed. Known returns those that it knows; nil: none.
func (m *Manager) freeUnknown(ctx context.Context, job string, known func() map[int64]bool) error {
	m.mu.Lock()
	doubted := m.doubted[job]
	m.mu.Unlock()
	if !doubted {
		return nil
	}
	var held map[int64]bool
	if known != nil {
		held = known()
	}
	if err := m.config.Store.FreeBatches(ctx, m.node, job, held); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.doubted, job)
	delete(m.due, job)
	return nil
}

// freeUnknownOfEnded does so for the jobs that have no run any more.
func (m *Manager) freeUnknownOfEnded(ctx context.Context) error {
	m.mu.Lock()
	var jobs []string
	for job := range m.doubted {
		if m.runs[job] == nil {
			jobs = append(jobs, job)
		}
	}
	m.mu.Unlock()
	for _, job := range jobs {
		if err := m.freeUnknown(ctx, job, nil); err != nil {
			return err
		}
	}
	return nil
}
