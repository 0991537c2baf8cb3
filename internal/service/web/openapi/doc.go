// Package openapi has the contract of the HTTP interface: an OpenAPI 3.1 file,
// written by hand, and a page for people that is rendered from it.
//
// [Routes] serves both. Package openapitest checks the server's answers against
// the file: the server's tests send their requests through it.
package openapi
