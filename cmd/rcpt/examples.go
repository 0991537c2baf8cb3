package main

import "github.com/rcpt/rcpt/cmd/rcpt/internal/manual"

// examples are command lines to try, by the path of the command. A test parses
// each of them.
var examples = map[string][]manual.Example{
	"": {
		{About: "Verify an address", Line: "rcpt verify jane@example.com"},
		{
			About: "Verify a list and write it back with a result in each row",
			Line:  "rcpt bulk customers.csv -o checked.csv",
		},
		{About: "Try everything without a network", Line: "rcpt demo"},
	},
	"verify": {
		{About: "Several addresses, as JSON lines", Line: "rcpt verify --json jane@example.com joe@example.org"},
		{About: "With the replies of the mail hosts, word for word", Line: "rcpt verify --details jane@example.com"},
		{
			About: "Syntax, lists and DNS only, where port 25 is closed",
			Line:  "rcpt verify --level dns jane@example.com",
		},
		{About: "From a file with one address per line", Line: "rcpt verify - < addresses.txt"},
	},
	"bulk": {
		{About: "Add the results to a CSV file", Line: "rcpt bulk customers.csv -o checked.csv"},
		{
			About: "Also write the rows of each group to a file of its own",
			Line:  "rcpt bulk customers.csv -o checked.csv --split",
		},
		{About: "Continue after a crash or Ctrl-C", Line: "rcpt bulk customers.csv -o checked.csv --resume"},
		{
			About: "Name the column of the addresses",
			Line:  `rcpt bulk customers.csv --column "Work e-mail" -o checked.csv`,
		},
		{About: "JSON lines in, JSON lines out", Line: "rcpt bulk - < users.jsonl > checked.jsonl"},
		{
			About: "Retry greylisted addresses for two hours",
			Line:  "rcpt bulk customers.csv -o checked.csv --retry-window 2h",
		},
	},
	"serve": {
		{About: "On this machine, port 8080", Line: "rcpt serve"},
		{
			About: "Behind a reverse proxy that ends TLS",
			Line:  "rcpt serve --public-url https://verify.example.com --trusted-proxy 127.0.0.1/32",
		},
		{
			About: "Several servers on one database",
			Line:  "rcpt serve --database postgres://rcpt:secret@db.example.com/rcpt",
		},
	},
	"keys create": {
		{
			About: "On a new machine, before the first start of the server",
			Line:  "rcpt keys create --name shop --create-database",
		},
		{
			About: "With limits",
			Line:  "rcpt keys create --name shop --scope verify --rate 10/s --quota 100000 --expires 90d",
		},
		{
			About: "For a service under systemd",
			Line:  "sudo rcpt keys create --data /var/lib/rcpt --name shop",
		},
		{About: "In a container", Line: "docker exec rcpt rcpt keys create --name shop"},
	},
	"keys list":   {{About: "As JSON lines", Line: "rcpt keys list --json"}},
	"keys revoke": {{About: "By name", Line: "rcpt keys revoke shop"}},
	"keys edit":   {{About: "Another limit", Line: "rcpt keys edit shop --rate 20/s"}},
	"keys rotate": {{
		About: "Replace a key; the old one still works for a day",
		Line:  "rcpt keys rotate shop --overlap 24h"},
	},
	"jobs list":   {{About: "Those that wait for somebody", Line: "rcpt jobs list --state paused"}},
	"jobs pause":  {{About: "Pause a list", Line: "rcpt jobs pause job_tmz5qyfriqhal3vpm3r6"}},
	"jobs resume": {{About: "Let it go on", Line: "rcpt jobs resume job_tmz5qyfriqhal3vpm3r6"}},
	"jobs cancel": {{About: "End a list; its results so far stay", Line: "rcpt jobs cancel job_tmz5qyfriqhal3vpm3r6"}},
	"jobs delete": {{
		About: "Delete a list and all of its data",
		Line:  "rcpt jobs delete job_tmz5qyfriqhal3vpm3r6",
	}},
	"webhooks list":   {{About: "Those that were given up", Line: "rcpt webhooks list --state failed"}},
	"webhooks show":   {{About: "What the receiver answered", Line: "rcpt webhooks show msg_5pq3w7ykc2mz4hx6avdt"}},
	"webhooks resend": {{About: "The receiver was repaired", Line: "rcpt webhooks resend msg_5pq3w7ykc2mz4hx6avdt"}},
	"webhooks test": {{
		About: "Try a receiver",
		Line:  "rcpt webhooks test shop https://receiver.example/hook",
	}},
	"webhooks secret": {{About: "A new secret for a key", Line: "rcpt webhooks secret shop > webhook.secret"}},
	"accounts list":   {{About: "List the users of the dashboard", Line: "rcpt accounts list"}},
	"accounts create": {
		{About: "Somebody who may see results", Line: "rcpt accounts create ann --role viewer"},
		{
			About: "A link with which ben chooses a password",
			Line:  "rcpt accounts create ben --link https://verify.example.com",
		},
	},
	"accounts role": {{About: "Let ann check addresses and send lists", Line: "rcpt accounts role ann member"}},
	"accounts remove": {{
		About: "Somebody leaves; programs go on with the keys",
		Line:  "rcpt accounts remove ann --keys-to ada@acme.example",
	}},
	"accounts reset": {{About: "A new password", Line: "rcpt accounts reset ann"}},
	"forget":         {{About: "Somebody wants to be forgotten", Line: "rcpt forget jane@example.com"}},
	"health":         {{About: "A server on another port", Line: "rcpt health --listen 127.0.0.1:9000"}},
	"config check":   {{About: "Before the service starts with it", Line: "rcpt config check rcpt.yaml"}},
	"config show": {
		{About: "The settings of the server here", Line: "rcpt config show"},
		{About: "Those of a command line", Line: "rcpt config show bulk customers.csv --level dns"},
	},
	"lists info": {{About: "Editions, sources and counts", Line: "rcpt lists info"}},
	"lists show": {{About: "The free providers", Line: "rcpt lists show free"}},
	"lists check": {
		{
			About: "An address, a domain, a local-part and a mail host",
			Line:  "rcpt lists check jane@gmail.com mailinator.com info mx:mx.example.com",
		},
	},
	"doctor": {
		{About: "What is wrong with the network, and what to do", Line: "rcpt doctor"},
		{
			About: "As the service will meet mail hosts",
			Line:  "rcpt doctor --helo mail.example.com --source-ip 192.0.2.1",
		},
		{About: "For a monitoring program: exit code 1 if verdicts suffer", Line: "rcpt doctor --json"},
	},
	"lists update": {
		{About: "To the edition of the latest release", Line: "rcpt lists update"},
		{About: "From a file", Line: "rcpt lists update --from lists.bundle"},
	},
	"explain pace": {
		{About: "The limits of all providers", Line: "rcpt explain pace"},
		{About: "Of one provider, by its name or that of a mail host", Line: "rcpt explain pace mx.example.com"},
	},
	"explain reply": {
		{About: "A refusal", Line: "rcpt explain reply '550 5.1.1 <jane@example.com>: User unknown'"},
		{
			About: "A refusal by a provider with its own rules",
			Line:  "rcpt explain reply --host mx.example.com '550 5.4.1 Recipient address rejected: Access denied'",
		},
	},
	"backup": {
		{About: "While the server runs", Line: "rcpt backup rcpt-backup.db"},
		{About: "Every night, in place of the last one", Line: "rcpt backup --overwrite nightly.db"},
	},
	"migrate": {{About: "Stop the server first", Line: "rcpt migrate --to postgres://rcpt:secret@db.example.com/rcpt"}},
	"accuracy": {
		{About: "Print the table of the README", Line: "rcpt accuracy"},
		{About: "Add rows for labelled replies or addresses of your own", Line: "rcpt accuracy samples/"},
	},
	"mcp": {
		{About: "As an agent starts it, asking the mail hosts from here", Line: "rcpt mcp"},
		{
			About: "Where port 25 is closed: a service asks, with the key in RCPT_API_KEY",
			Line:  "rcpt mcp --url https://verify.example.com",
		},
	},
	"demo": {
		{About: "Start the demo; it prints what to try from another terminal", Line: "rcpt demo"},
		{About: "Keep the list to try with rcpt bulk", Line: "rcpt demo --sample sample.csv"},
	},
	"help":     {{About: "Variables that set flags", Line: "rcpt help environment"}},
	"licences": {{About: "Which modules are in the binary, with their licences", Line: "rcpt licences | less"}},
	"version":  {{About: "For a program", Line: "rcpt version --json"}},
	"completion": {
		{About: "In ~/.bashrc", Line: "source <(rcpt completion bash)"},
		{About: "In ~/.zshrc, after compinit", Line: "source <(rcpt completion zsh)"},
		{About: "In ~/.config/fish/config.fish", Line: "rcpt completion fish | source"},
	},
	"man": {{About: "Read it", Line: "rcpt man | man -l -"}},
}

// manPage holds the sections of the man page besides the commands.
var manPage = manual.ManPage{
	Description: []string{
		"rcpt verifies whether e-mail addresses can receive mail. It checks the syntax, lists of disposable and role " +
			"addresses and the DNS, and asks the mail hosts, without sending mail. " +
			"The result is deliverable, undeliverable, accept-all or unknown, with a reason.",
		"Many networks block port 25. There, mail hosts cannot be asked: use --level dns, or --proxy.",
		"Results go to standard output, everything else to standard error.",
	},
	Environment: []string{
		"Each flag can be set by a variable: RCPT_ and its name in upper case, with _ for each hyphen. " +
			"RCPT_SMTP_PORT sets --smtp-port. " +
			`"rcpt help environment" lists all variables. The command line overrides the environment, ` +
			`and the environment overrides the file of --config.`,
		"RCPT_API_KEY is the key of the server. If NO_COLOR is set, there are no colours.",
	},
	ExitStatus: [][2]string{
		{"0", "Done, whatever the results."},
		{"1", "The work could not be done."},
		{"2", "Wrong usage."},
	},
	SeeAlso: "https://github.com/rcpt/rcpt",
}
