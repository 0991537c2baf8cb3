package main

import "github.com/rcpt/rcpt/cmd/rcpt/internal/manual"

// examples are command lines to try, by the path of the command. A test parses
// each of them.
var examples = map[string][]manual.Example{
	"": {
		{About: "Check an address", Line: "rcpt verify jane@example.com"},
		{About: "Check a list and write it back with a result in each row", Line: "rcpt bulk customers.csv -o checked.csv"},
		{About: "Try everything without a network", Line: "rcpt demo"},
	},
	"verify": {
		{About: "Several addresses, as JSON lines", Line: "rcpt verify --json jane@example.com joe@example.org"},
		{About: "What each mail host said, word for word", Line: "rcpt verify --details jane@example.com"},
		{About: "Syntax, lists and DNS only, where port 25 is closed", Line: "rcpt verify --level dns jane@example.com"},
		{About: "From a file, an address a line", Line: "rcpt verify - < addresses.txt"},
	},
	"bulk": {
		{About: "Add the results to a CSV file", Line: "rcpt bulk customers.csv -o checked.csv"},
		{About: "And write the rows to mail, to review, to remove and to retry to files of their own", Line: "rcpt bulk customers.csv -o checked.csv --split"},
		{About: "Go on after a crash or Ctrl-C", Line: "rcpt bulk customers.csv -o checked.csv --resume"},
		{About: "Name the column of the addresses", Line: `rcpt bulk customers.csv --column "Work e-mail" -o checked.csv`},
		{About: "JSON lines in, JSON lines out", Line: "rcpt bulk - < users.jsonl > checked.jsonl"},
		{About: "Give greylisted addresses two hours", Line: "rcpt bulk customers.csv -o checked.csv --retry-window 2h"},
	},
	"serve": {
		{About: "On this machine, port 8080", Line: "rcpt serve"},
		{About: "Behind a reverse proxy that ends TLS", Line: "rcpt serve --public-url https://verify.example.com --trusted-proxy 127.0.0.1/32"},
		{About: "Several servers on one database", Line: "rcpt serve --database postgres://rcpt:secret@db.example.com/rcpt"},
	},
	"keys create": {
		{About: "On a new machine, before the first start of the server", Line: "rcpt keys create --name shop --create-database"},
		{About: "With limits", Line: "rcpt keys create --name shop --scope verify --rate 10/s --quota 100000 --expires 90d"},
		{About: "For a service under systemd, while it runs", Line: "sudo -u rcpt rcpt keys create --data /var/lib/rcpt --name shop"},
		{About: "In a container", Line: "docker exec rcpt rcpt keys create --name shop"},
	},
	"keys list":      {{About: "As JSON lines", Line: "rcpt keys list --json"}},
	"keys revoke":    {{About: "By the name", Line: "rcpt keys revoke shop"}},
	"keys edit":      {{About: "Another limit", Line: "rcpt keys edit shop --rate 20/s"}},
	"keys rotate":    {{About: "A new text, the old one works for a day more", Line: "rcpt keys rotate shop --overlap 24h"}},
	"accounts list":  {{About: "Who may use the dashboard", Line: "rcpt accounts list"}},
	"accounts reset": {{About: "A new password", Line: "rcpt accounts reset ann"}},
	"health":         {{About: "A server on another port", Line: "rcpt health --listen 127.0.0.1:9000"}},
	"lists info":     {{About: "Editions, sources and counts", Line: "rcpt lists info"}},
	"lists show":     {{About: "The free providers", Line: "rcpt lists show free"}},
	"lists check": {
		{About: "An address, a domain, a local-part and a mail host", Line: "rcpt lists check jane@gmail.com mailinator.com info mx:mx.example.com"},
	},
	"lists update": {{About: "From a file", Line: "rcpt lists update --from lists.bundle"}},
	"explain": {
		{About: "A refusal", Line: "rcpt explain '550 5.1.1 <jane@example.com>: User unknown'"},
		{About: "A refusal by a provider with rules of its own", Line: "rcpt explain --host mx.example.com '550 5.4.1 Recipient address rejected: Access denied'"},
	},
	"backup":  {{About: "While the server runs", Line: "rcpt backup rcpt-backup.db"}},
	"migrate": {{About: "Stop the server before", Line: "rcpt migrate --to postgres://rcpt:secret@db.example.com/rcpt"}},
	"demo": {
		{About: "Serve, and use it from another terminal as it prints", Line: "rcpt demo"},
		{About: "Keep the list to try with rcpt bulk", Line: "rcpt demo --sample sample.csv"},
	},
	"help":    {{About: "Variables that set flags", Line: "rcpt help environment"}},
	"version": {{About: "For a program", Line: "rcpt version --json"}},
	"completion": {
		{About: "In ~/.bashrc", Line: "source <(rcpt completion bash)"},
		{About: "In ~/.zshrc, behind compinit", Line: "source <(rcpt completion zsh)"},
		{About: "In ~/.config/fish/config.fish", Line: "rcpt completion fish | source"},
	},
	"man": {{About: "Read it", Line: "rcpt man | man -l -"}},
}

// manPage is what the man page holds beside the commands.
var manPage = manual.ManPage{
	Description: []string{
		"rcpt finds out whether e-mail addresses can receive mail: it looks at their syntax, at lists of disposable and role addresses, at the DNS, " +
			"and asks their mail hosts, without sending mail. The result is deliverable, undeliverable, accept-all or unknown, with a reason.",
		"Many networks close port 25. There, mail hosts cannot be asked: use --level dns, or --proxy.",
		"Results go to standard output, everything else to standard error.",
	},
	Environment: []string{
		"Each flag can be set by its name in upper case behind RCPT_, with _ for each hyphen: RCPT_SMTP_PORT sets --smtp-port. " +
			`"rcpt help environment" lists all variables. The command line wins over the environment, and the environment over the file of --config.`,
		"RCPT_API_KEY is the key of the server. NO_COLOR, when set, turns colours off.",
	},
	ExitStatus: [][2]string{
		{"0", "Done, whatever the results."},
		{"1", "The work could not be done."},
		{"2", "Wrong usage."},
	},
	SeeAlso: "https://github.com/rcpt/rcpt",
}
