// Package browser tests the dashboard in Chromium: what is done with a mouse
// and with the keys, what fits on a screen and can be read, lists that are
// dropped. axe-core judges each page, where npm can fetch it. The tests have
// the build tag "browser"; "make browser" runs them. With the flag -images they
// keep pictures of the pages.
package browser
