// Command gen makes the embedded lists: go generate ./lists.
//
// It downloads the packages pinned in pins.json with npm (so that the registry, proxy and cache are those of the user's npm settings),
// refuses an archive whose SHA-512 is not the pinned one and a package under another licence, and reads data files out of the archives.
// Nothing of a package is installed or run. The files in hand add and remove entries; each line there has its reason.
//
// The same pins and hand files give the same lists, byte for byte.
package main
