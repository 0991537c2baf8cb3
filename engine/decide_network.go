package engine

// unlessResolver replaces a judgement that rests on the word of a resolver that has not proved that it works.
func (j judgement) unlessResolver(facts *NetworkFacts) judgement {
	if facts != nil && facts.ResolverFault != "" && restsOnResolver(j.reason) {
		return judgement{reason: ResolverUnreliable}
	}
	return j
}

// unlessPort replaces the judgement that no mail host was reached where the network lets us reach none.
func (j judgement) unlessPort(facts *NetworkFacts) judgement {
	if facts != nil && facts.PortFault != "" && j.special == nil && (j.reason == ConnectionFailed || j.reason == ConnectionTimeout) {
		return judgement{reason: PortBlocked, answer: j.answer}
	}
	return j
}
