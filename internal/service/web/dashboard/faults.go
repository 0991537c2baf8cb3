package dashboard

import (
	"fmt"
	"html"
	"html/template"
	"strings"
)

// formFault is a fault of a field of a form.
type formFault struct {
	Field string // the id of its input
	Text  string
}

// formFaults are in the order of the form.
type formFaults []formFault

// add records a fault; an empty text is ignored.
func (f *formFaults) add(field, text string) {
	if text != "" {
		*f = append(*f, formFault{field, text})
	}
}

// refuse turns the page into that of a form with faults.
func (p *page) refuse(faults formFaults) {
	p.Faults = faults
	p.Error = "One field needs another look. Nothing has been changed."
	if len(faults) > 1 {
		p.Error = fmt.Sprintf("%d fields need another look. Nothing has been changed.", len(faults))
	}
}

// FaultOf returns the fault of the field, or the zero formFault.
func (p page) FaultOf(field string) formFault {
	for _, f := range p.Faults {
		if f.Field == field {
			return f
		}
	}
	return formFault{}
}

// Field returns the attributes of the input of a field: the texts that describe
// it, whether it has a fault, and whether it gets the focus. The focus is on
// the first field with a fault or, without faults, on the one that the page
// names.
func (p page) Field(field string, hints ...string) template.HTMLAttr {
	wrong, first := p.FaultOf(field).Text != "", p.Focus
	if len(p.Faults) > 0 {
		first = p.Faults[0].Field
	}
	var attributes []string
	if wrong {
		hints = append(hints, field+"-fault")
	}
	if len(hints) > 0 {
		attributes = append(attributes, `aria-describedby="`+html.EscapeString(strings.Join(hints, " "))+`"`)
	}
	if wrong {
		attributes = append(attributes, `aria-invalid="true"`)
	}
	if first == field {
		attributes = append(attributes, "autofocus")
	}
	return template.HTMLAttr(strings.Join(attributes, " "))
}
