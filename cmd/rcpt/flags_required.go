package main

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/alecthomas/kong"
)

// errNoValue is in the error about a flag without the value that it takes.
var errNoValue = errors.New("the value is missing")

// presentValue is a [kong.Mapper] that wants a value to be there before it is read.
type presentValue struct{ kong.Mapper }

// requireValues makes flags without their value an error for people, and repeatable ones with an empty value too: the latter would mean
// the default, and --resolver="$UNSET" would send queries to a server that nobody chose.
func requireValues(node *kong.Node) {
	for _, flag := range flagsOf(node) {
		if !flag.IsBool() {
			flag.Mapper = presentValue{flag.Mapper}
		}
	}
}

// Decode reads the value.
func (m presentValue) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	next, flag := ctx.Scan.Peek(), ctx.Value.Flag
	if !next.IsValue() {
		return fmt.Errorf("%w: write --%s=%s", errNoValue, flag.Name, flag.PlaceHolder)
	}
	if flag.IsSlice() && next.Value == "" {
		return fmt.Errorf("the value is empty: write --%s=%s, or leave it out", flag.Name, flag.PlaceHolder)
	}
	return m.Mapper.Decode(ctx, target)
}

// flagsOf collects the flags of all commands.
func flagsOf(node *kong.Node) []*kong.Flag {
	flags := slices.Clone(node.Flags)
	for _, child := range node.Children {
		flags = append(flags, flagsOf(child)...)
	}
	return flags
}
