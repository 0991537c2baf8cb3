package screen_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/screen"
)

// signUp handles a sign-up form that asks nobody. It refuses what is no
// address, and mailboxes that are thrown away. A message that has to be
// confirmed finds out whether the mailbox exists.
func signUp(w http.ResponseWriter, r *http.Request) {
	result := screen.Check(r.FormValue("email"))
	switch {
	case result.Reason.EndsAt() == rcpt.StepSyntax:
		problem := "Please check your address. " + result.Message
		if result.Suggestion != "" {
			problem = "Did you mean " + result.Suggestion + "?"
		}
		http.Error(w, problem, http.StatusUnprocessableEntity)
	case result.Disposable:
		http.Error(w, "Please use an address that you keep.", http.StatusUnprocessableEntity)
	case result.Suggestion != "": // it can be an address all the same
		fmt.Fprintf(w, "Welcome, %s! Or did you mean %s?", result.Email, result.Suggestion)
	default:
		fmt.Fprintf(w, "Welcome, %s!", result.Email)
	}
}

// The handler of a sign-up form that needs no network.
func Example_signUp() {
	for _, email := range []string{
		"Jane <jane@example.com>", "jane@gmail", "jane@gmial.com", "jane@example.com, joe@example.com", "n/a", "jane@mailinator.com",
	} {
		form := strings.NewReader(url.Values{"email": {email}}.Encode())
		request := httptest.NewRequest(http.MethodPost, "/signup", form)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		answer := httptest.NewRecorder()
		signUp(answer, request)
		fmt.Println(answer.Code, strings.TrimSpace(answer.Body.String()))
	}
	// Output:
	// 200 Welcome, jane@example.com!
	// 422 Did you mean jane@gmail.com?
	// 200 Welcome, jane@gmial.com! Or did you mean jane@gmail.com?
	// 422 Please check your address. There is more than one address; give each by itself.
	// 422 Please check your address. There is no address.
	// 422 Please use an address that you keep.
}

// Domains of the program's own are disposable, too.
func ExampleWith() {
	ours, err := lists.New(lists.Domains(lists.KindDisposable, "ours", "throwaway.example"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(screen.Check("jane@throwaway.example").Disposable)
	fmt.Println(screen.With(ours, "jane@throwaway.example").Disposable)
	// Output:
	// false
	// true
}
