package soak

import (
	"encoding/json"
	"errors"
	"io"
)

// Ready is what a world that was started by [Control] says first.
type Ready struct {
	DNS  string
	Port uint16
}

// Control runs a world for another process: it reads the Spec, says [Ready], and answers each further value with [Counters] until the input
// ends. All of it is JSON.
func Control(in io.Reader, out io.Writer) error {
	orders, answers := json.NewDecoder(in), json.NewEncoder(out)
	var spec Spec
	if err := orders.Decode(&spec); err != nil {
		return err
	}
	w, err := Start(spec)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := answers.Encode(Ready{DNS: w.DNS(), Port: w.Port()}); err != nil {
		return err
	}
	for {
		var order any
		if err := orders.Decode(&order); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := answers.Encode(w.Counters()); err != nil {
			return err
		}
	}
}
