package process

import (
	"encoding/json"
	"errors"
	"io"
)

// Service is what [Serve] runs.
type Service struct {
	Ready  any                 // what it says first
	Answer func() (any, error) // what it says to each further value
	End    func() error        // ends it
}

// Serve is the other side of a [Process]: it reads the order, starts what that
// asks for, says that it is ready, and answers each further value until the
// input ends.
func Serve[Order any](in io.Reader, out io.Writer, start func(Order) (Service, error)) (err error) {
	questions, answers := json.NewDecoder(in), json.NewEncoder(out)
	var order Order
	if err := questions.Decode(&order); err != nil {
		return err
	}
	service, err := start(order)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, service.End()) }()
	if err := answers.Encode(service.Ready); err != nil {
		return err
	}
	for {
		var question any
		if err := questions.Decode(&question); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		answer, err := service.Answer()
		if err != nil {
			return err
		}
		if err := answers.Encode(answer); err != nil {
			return err
		}
	}
}
