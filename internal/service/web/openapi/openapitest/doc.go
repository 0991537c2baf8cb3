// Package openapitest holds what a server answers to the contract of package
// openapi, for tests: status, header fields and body of every response must be
// those that the file declares, and nothing may be in a body or among the
// fields that it does not.
//
// That the file itself is sound OpenAPI 3.1, with examples that fit, is
// kin-openapi's to say. Responses are judged by another library of JSON Schema
// 2020-12, which is the dialect of OpenAPI 3.1: kin-openapi would compile the
// schemas for each response, and where it cannot, leave out what OpenAPI 3.0
// did not have.
package openapitest
