// Package docs embeds the documents for users, which the server shows at
// /docs/guide.
package docs

import "embed"

// Files are the documents, in Markdown.
//
//go:embed *.md
var Files embed.FS
