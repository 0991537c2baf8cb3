// Package openapi is the contract of the HTTP interface: an OpenAPI 3.1 file, written by hand, and a page for people that is made from it.
//
// [Routes] serves both. What the server answers is held to the file by package openapitest, through which the server's tests send their requests.
package openapi
