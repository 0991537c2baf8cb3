// Package openapi shows the contract of the HTTP interface, which package
// contract has: as a file, and as a page for people that is rendered from it.
//
// [Routes] serves both. Package openapitest checks the server's answers against
// the file: the server's tests send their requests through it.
package openapi
