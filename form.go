package rcpt

// FormAction is what a form does about the address that a visitor typed.
type FormAction string

// The actions of a form.
const (
	FormAccept   FormAction = "accept"    // the mailbox is there
	FormConfirm  FormAction = "confirm"   // let the visitor in, who confirms by a link in a mail
	FormAskAgain FormAction = "ask_again" // tell the visitor, who can mend it
	FormReject   FormAction = "reject"    // create nothing, send nothing, and show what all others see
)

// FormAction returns what a form does about the address. [Result.Action] is
// about a list, where nobody can be asked, and an address can wait.
//
// The first rule that applies decides:
//
//   - ask again where it is no secret what is wrong: it is not one address or
//     has no dot; the domain takes no mail, or not for such an address; the
//     service is a throw-away one; another address was probably meant. If the
//     visitor means the one that was typed, empty Suggestion and call this
//     again;
//   - reject a mailbox that is proven not to take mail, and a spam trap. To
//     say so would tell strangers which mailboxes exist, or are traps;
//   - accept what is deliverable, unless it is a role: whoever typed it may not
//     be whoever reads it;
//   - confirm everything else. What is not known is no reason to turn anybody
//     away.
//
// A form that shows the same page, after the same time, for all but ask again
// tells nothing about mailboxes.
//
// The result beside an error has a FormAction, too: what was found until then
// counts, and else it is confirm. Like Action it needs the reason.
func (r Result) FormAction() FormAction {
	undeliverable := r.Verdict == VerdictUndeliverable
	switch {
	case r.Reason.EndsAt() == StepSyntax, r.Reason == ReasonUnclearAddress, r.Disposable, r.Suggestion != "",
		undeliverable && (r.Reason.About() == AboutDomain || r.Reason.About() == AboutHost):
		return FormAskAgain
	case undeliverable, r.SpamTrap, r.Reason == ReasonSpamTrap:
		return FormReject
	case r.Verdict == VerdictDeliverable && !r.Role:
		return FormAccept
	}
	return FormConfirm
}
