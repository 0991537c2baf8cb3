package engine

import "github.com/rcpt/rcpt"

// unlessResolver replaces a judgement that rests on a resolver that has not
// proved that it works.
func (j judgement) unlessResolver(facts *NetworkFacts) judgement {
	if facts != nil && facts.ResolverFault != "" && restsOnResolver(j.reason) {
		return judgement{reason: rcpt.ReasonResolverUnreliable}
	}
	return j
}

// unlessPort replaces the judgement that no mail host was reached if our
// network lets us reach none.
func (j judgement) unlessPort(facts *NetworkFacts) judgement {
	if facts != nil && facts.PortFault != "" && unreached(j.reason) {
		return judgement{reason: rcpt.ReasonPortBlocked, answer: j.answer}
	}
	return j
}
