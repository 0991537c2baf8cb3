// Package headway says how a list that is being verified gets on: what its
// addresses wait for, and how long it still takes. All of it is pure, and in
// one vocabulary for the command, the API and the pages.
package headway
