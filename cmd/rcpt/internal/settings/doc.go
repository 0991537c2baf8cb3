// Package settings is what users set: by flags, by environment variables and in
// a YAML file. It has the flags that several commands share and the types of
// their values, reads the file and the environment for all commands, checks a
// file, and says which setting is in force and where it comes from.
//
// The flags of one command alone are declared with that command. What a value
// means belongs to the package that uses it: here it is parsed, and refused in
// words that say what to write instead.
package settings
