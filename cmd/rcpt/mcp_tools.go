package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/contract"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// verifyAddresses verifies addresses, or texts that hold one each, and yields
// the outcomes with their indexes.
type verifyAddresses = func(ctx context.Context, addresses []string) iter.Seq2[int, engine.Outcome]

// agentTools are the tools of an agent. They only read.
type agentTools struct {
	verify     verifyAddresses
	fault      func() string // what is wrong with our own network, as a line; empty: nothing is known
	classifier *replies.Classifier
}

// maxAtOnce is how many addresses a call may have, as a request of the service.
const maxAtOnce = 100

// server returns a server with the tools. Calls end with ctx.
func (t agentTools) server(ctx context.Context) *mcp.Server {
	server := mcp.NewServer(
		&mcp.Implementation{Name: "rcpt", Title: "rcpt e-mail verification", Version: version()},
		&mcp.ServerOptions{
			Instructions: agentInstructions,
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		})
	server.AddReceivingMiddleware(endsWith(ctx))
	server.AddTool(verifyAddressTool(), answer(t.verifyAddress).handle)
	server.AddTool(verifyAddressesTool(), answer(t.verifyAddresses).handle)
	server.AddTool(explainReplyTool(), answer(t.explainReply).handle)
	server.AddTool(explainWordTool(), answer(explainWord).handle)
	return server
}

// answer answers a call with an object of JSON, and with a text for models.
type answer func(ctx context.Context, call *mcp.CallToolRequest) (object any, text string, err error)

// handle has an error be one of the tool, which the model reads.
func (a answer) handle(ctx context.Context, call *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	object, text, err := a(ctx, call)
	result := new(mcp.CallToolResult)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		result.SetError(err)
	default:
		result.StructuredContent, result.Content = object, []mcp.Content{&mcp.TextContent{Text: text}}
	}
	return result, nil
}

// read reads the arguments of a call.
func read(call *mcp.CallToolRequest, in any) error {
	arguments := call.Params.Arguments
	if arguments == nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(arguments))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(in); err != nil {
		return fmt.Errorf("the arguments are not as the tool takes them: %w", err)
	}
	return nil
}

// endsWith has calls end with a context, too.
func endsWith(end context.Context) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			ctx, cancel := context.WithCancelCause(ctx)
			defer cancel(nil)
			defer context.AfterFunc(end, func() { cancel(context.Cause(end)) })()
			return next(ctx, method, r)
		}
	}
}

func (t agentTools) verifyAddress(ctx context.Context, call *mcp.CallToolRequest) (any, string, error) {
	var in struct{ Email string }
	if err := read(call, &in); err != nil {
		return nil, "", err
	}
	results, text, err := t.results(ctx, call, []string{in.Email})
	if err != nil {
		return nil, "", err
	}
	return results[0], text, nil
}

func (t agentTools) verifyAddresses(ctx context.Context, call *mcp.CallToolRequest) (any, string, error) {
	var in struct{ Emails []string }
	if err := read(call, &in); err != nil {
		return nil, "", err
	}
	if n := len(in.Emails); n == 0 || n > maxAtOnce {
		const format = "there are %d addresses: give 1 to %d; rcpt bulk verifies longer lists"
		return nil, "", fmt.Errorf(format, n, maxAtOnce)
	}
	results, text, err := t.results(ctx, call, in.Emails)
	return map[string]any{"results": results}, text, err
}

// results are those of addresses, and a text about them. That none could be
// verified is an error.
func (t agentTools) results(
	ctx context.Context, call *mcp.CallToolRequest, addresses []string,
) (results []rcpt.Result, text string, err error) {
	limited, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	results = make([]rcpt.Result, len(addresses))
	done, failed := 0, 0
	for i, outcome := range t.verify(limited, addresses) {
		results[i] = withQuotes(outcome.Result)
		done++
		progress(ctx, call, done, len(addresses))
		if outcome.Err != nil {
			failed, err = failed+1, outcome.Err
		}
	}
	switch {
	case failed == len(addresses):
		return nil, "", advised(err)
	case failed > 0:
		text = fmt.Sprintf("%d of %d were not verified: %v\n", failed, len(addresses), advised(err))
	}
	return results, textOf(results) + text + t.fault(), nil
}

// progress says how many addresses are done, if the client wants to know.
func progress(ctx context.Context, call *mcp.CallToolRequest, done, all int) {
	if token := call.Params.GetProgressToken(); token != nil {
		_ = call.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ // a client that is gone ends the call
			ProgressToken: token, Progress: float64(done), Total: float64(all),
		})
	}
}

// textOf is what rcpt verify prints on a terminal.
func textOf(results []rcpt.Result) string {
	var text strings.Builder
	out := textPrinter{out: &text}
	for _, result := range results {
		_ = out.print(result) // a Builder takes everything
	}
	return text.String()
}

func (t agentTools) explainReply(_ context.Context, call *mcp.CallToolRequest) (any, string, error) {
	in := struct {
		Reply, Host, Mailbox string
		Phase                smtp.Phase
	}{Phase: smtp.PhaseRCPT}
	if err := read(call, &in); err != nil {
		return nil, "", err
	}
	if !slices.Contains(replyPhases, in.Phase) {
		return nil, "", fmt.Errorf("%q is no phase: use one of %q", in.Phase, replyPhases)
	}
	reply, err := smtp.ParseLogged(in.Reply)
	if err != nil {
		return nil, "", fmt.Errorf(`%w: give it as the mail host sent it, such as "550 5.1.1 User unknown"`, err)
	}
	e := explanationOf(replies.Input{
		Phase: in.Phase, Reply: reply, Host: hostName(in.Host), Mailbox: in.Mailbox, At: time.Now(),
	}, t.classifier)
	e.Text = quote(e.Text)
	var text strings.Builder
	_ = e.writeText(&text) // a Builder takes everything
	return e, text.String(), nil
}

// meaning is what a word of a verification means. A result has the reasons that
// lead to it, and a reason its result and what follows from that.
type meaning struct {
	Word       string        `json:"word"`
	Kind       string        `json:"kind"`
	Meaning    string        `json:"meaning"`
	Result     rcpt.Verdict  `json:"result,omitempty"`
	Reasons    []rcpt.Reason `json:"reasons,omitempty"`
	About      rcpt.Subject  `json:"about,omitempty"`
	Action     rcpt.Action   `json:"action,omitempty"`
	RetryAfter int64         `json:"retry_after,omitempty"`
}

func explainWord(_ context.Context, call *mcp.CallToolRequest) (any, string, error) {
	var in struct{ Word string }
	if err := read(call, &in); err != nil {
		return nil, "", err
	}
	m := meaningOf(strings.TrimSpace(in.Word))
	if m.Meaning == "" {
		words := func(name string) []string { return slices.Sorted(maps.Keys(contract.Meanings(name))) }
		return nil, "", fmt.Errorf("%q is none of the results %q, actions %q and reasons %q",
			in.Word, words("Result"), words("Action"), rcpt.Reasons())
	}
	text, err := json.Marshal(m)
	return m, string(text), err
}

// meaningOf returns what a word of a verification means. The Meaning of other
// words is empty.
func meaningOf(word string) meaning {
	if reason := rcpt.Reason(word); reason.Verdict() != "" {
		return meaning{
			Word: word, Kind: "reason", Meaning: reason.Message(), Result: reason.Verdict(), About: reason.About(),
			Action:     rcpt.Result{Verdict: reason.Verdict(), Reason: reason}.Action(),
			RetryAfter: int64(reason.RetryAfter() / time.Second),
		}
	}
	if does := contract.Meanings("Action")[word]; does != "" {
		return meaning{Word: word, Kind: "action", Meaning: does}
	}
	m := meaning{Word: word, Kind: "result", Meaning: contract.Meanings("Result")[word], Result: rcpt.Verdict(word)}
	for _, reason := range rcpt.Reasons() {
		if reason.Verdict() == m.Result {
			m.Reasons = append(m.Reasons, reason)
		}
	}
	return m
}
