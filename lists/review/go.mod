// The texts are for people, and left out of the module that programs download.
module github.com/rcpt/rcpt/lists/review

go 1.26
