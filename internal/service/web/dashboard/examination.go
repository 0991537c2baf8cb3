package dashboard

import "time"

// Examination is the last examination of the server's network (rcpt doctor).
type Examination struct {
	At       time.Time
	Passed   int       // checks that found nothing wrong
	Findings []Finding // faults first, then warnings
}

// Finding is a fault or a warning of an examination.
type Finding struct {
	Fault bool   // verdicts suffer; otherwise it is a warning
	Where string // the check and what it is about
	Found string
	Why   string
	Do    string
}

// faults are the findings from which verdicts suffer.
func (e *Examination) faults() (all []fault) {
	if e == nil {
		return nil
	}
	for _, f := range e.Findings {
		if f.Fault {
			all = append(all, fault{f.Where, f.Found + ". " + f.Do})
		}
	}
	return all
}
