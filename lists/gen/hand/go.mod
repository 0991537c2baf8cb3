// The inputs of the generator are left out of the module that programs download.
module github.com/rcpt/rcpt/lists/gen/hand

go 1.26
