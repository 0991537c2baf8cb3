package replies

// spelling is how a word is compared: as other words, and as one word together
// with the word before it.
type spelling struct {
	words []string          // none: the word is a filler
	after map[string]string // by the word before: what both are together
}

// spellings are the words that are not compared as they are written.
// Apostrophes are dropped first.
var spellings = buildSpellings()

// fillers carry no meaning in any phrase and are dropped on both sides.
var fillers = []string{
	"the", "a", "an", "this", "that", "is", "are", "was", "were", "be", "been", "has", "have", "had", "it", "its",
}

// wordings bring different ways to write the same words together.
var wordings = map[string][]string{
	"cannot": {"can", "not"}, "cant": {"can", "not"}, "doesnt": {"does", "not"}, "dosnt": {"does", "not"},
	"dont": {"do", "not"}, "isnt": {"not"},
	"wasnt": {"not"}, "didnt": {"did", "not"}, "hasnt": {"not"}, "havent": {"not"},
	"couldnt": {"could", "not"}, "arent": {"not"}, "wont": {"will", "not"},
	"nobody": {"no", "one"}, "unable": {"not", "able"}, "nonexisting": {"nonexistent"},
	"nonexistant": {"nonexistent"}, "inexistent": {"nonexistent"},
	"graylisted": {"greylisted"}, "graylisting": {"greylisting"}, "graylist": {"greylist"},
	"addresse": {"addressee"}, "adress": {"address"}, "addres": {"address"},
	"recipent": {"recipient"}, "recepient": {"recipient"}, "reciepient": {"recipient"}, "maibox": {"mailbox"},
	"unkown": {"unknown"}, "unknow": {"unknown"},
	"vaild": {"valid"}, "temporarly": {"temporarily"}, "temporarely": {"temporarily"},
}

// pairs are words that are also written as two.
var pairs = []struct{ first, second, one string }{
	{"e", "mail", "email"}, {"e", "mails", "emails"},
	{"mail", "box", "mailbox"}, {"mail", "boxes", "mailboxes"}, {"mail", "drop", "maildrop"},
	{"user", "name", "username"},
	{"black", "list", "blacklist"}, {"black", "lists", "blacklists"}, {"black", "listed", "blacklisted"},
	{"block", "list", "blocklist"}, {"block", "lists", "blocklists"}, {"block", "listed", "blocklisted"},
	{"grey", "list", "greylist"}, {"grey", "listed", "greylisted"}, {"grey", "listing", "greylisting"},
	{"gray", "list", "greylist"}, {"gray", "listed", "greylisted"}, {"gray", "listing", "greylisting"},
	{"local", "part", "localpart"},
	{"ip", "address", "ipaddress"}, {"ip", "addresses", "ipaddress"}, {"host", "address", "hostaddress"},
	{"mta", "address", "hostaddress"},
	{"server", "address", "hostaddress"}, {"mailserver", "address", "hostaddress"},
	{"client", "address", "hostaddress"}, {"remote", "address", "remoteaddress"},
	{"your", "address", "youraddress"},
	{"from", "address", "senderaddress"}, {"sending", "address", "senderaddress"},
	{"originator", "address", "senderaddress"},
	{"reply", "address", "senderaddress"}, {"return", "address", "senderaddress"},
	{"anti", "spam", "antispam"}, {"over", "quota", "overquota"}, {"de", "activated", "deactivated"},
	{"non", "existent", "nonexistent"}, {"non", "existing", "nonexistent"}, {"not", "existent", "nonexistent"},
	{"not", "existing", "nonexistent"},
}

func buildSpellings() map[string]spelling {
	all := map[string]spelling{}
	for _, filler := range fillers {
		all[filler] = spelling{}
	}
	for word, usual := range wordings {
		all[word] = spelling{words: usual}
	}
	for _, pair := range pairs {
		s := all[pair.second]
		s.words = []string{pair.second}
		if s.after == nil {
			s.after = map[string]string{}
		}
		s.after[pair.first] = pair.one
		all[pair.second] = s
	}
	return all
}
