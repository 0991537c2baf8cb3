package settings

// UsageError is an error of whoever wrote the command line, the environment or
// the file.
type UsageError struct{ error }

// Usage marks an error as one of usage.
func Usage(err error) error { return UsageError{err} }

func (e UsageError) Unwrap() error { return e.error }
