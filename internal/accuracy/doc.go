// Package accuracy counts how often verdicts are right: about situations of
// package demo, about labelled replies and about labelled addresses. The labels
// were given by people.
//
// The replies are in replies.jsonl, from the sources, documents and logs of
// other projects, which each row names.
package accuracy
