// The pictures are left out of the module that programs download.
module github.com/rcpt/rcpt/docs/images

go 1.26
