// Command lists builds the embedded lists: go generate ./lists.
//
// It works in two steps. The first makes text files for review out of packages
// and of the files in hand: review/disposable.txt, free.txt and role.txt. The
// packages pinned in pins.json are downloaded with npm, so that the registry,
// proxy and cache are those of the user's npm settings; an archive whose
// SHA-512 is not the pinned one, and a package under another licence, is
// refused. Data is read out of the archives; nothing of a package is installed
// or run. What is not on npm lies in vendored.
//
// The second step makes the bundle that is embedded, lists/data/lists.bundle,
// out of the text files and of the files in hand, which add entries and remove
// them, and hold whole lists.
//
// A list that would grow or shrink by more than a tenth is refused unless the
// flag -accept is given. The same pins and hand files give the same lists, byte
// for byte.
package main
