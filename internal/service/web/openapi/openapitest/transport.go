package openapitest

import "net/http"

// Transport is a RoundTripper that tells fault of every response which is not
// as the contract has it. It passes all of them on.
type Transport struct {
	Base     http.RoundTripper
	Contract *Contract
	Fault    func(error)
}

// RoundTrip sends a request and judges the response.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.Base.RoundTrip(r)
	if err != nil {
		return response, err
	}
	if fault := t.Contract.Check(r.Method, r.URL.EscapedPath(), response); fault != nil {
		t.Fault(fault)
	}
	return response, nil
}

// CloseIdleConnections does so where Base can.
func (t *Transport) CloseIdleConnections() {
	if base, ok := t.Base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}
