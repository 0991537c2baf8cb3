// Package docs embeds the documents for users, which the server shows at
// /docs/guide.
//
// Experimental: this package may change in any minor version.
package docs

import "embed"

// Files are the documents, in Markdown.
//
//go:embed *.md
var Files embed.FS
