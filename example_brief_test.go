package rcpt_test

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
)

// checkAddress answers the script of a sign-up form while the visitor types.
func checkAddress(verifier rcpt.Verifier) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		result, err := verifier.Verify(r.Context(), r.FormValue("email"))
		if err != nil { // the result is unknown, and says as much
			log.Print(err)
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(result.Brief()); err != nil {
			log.Print(err)
		}
	}
}

// The form refuses what is undeliverable, and offers the suggestion.
func ExampleResult_Brief() {
	verifier, err := engine.New(engine.Config{Level: engine.LevelSyntax})
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()
	answer := httptest.NewRecorder()
	checkAddress(verifier)(answer, httptest.NewRequest(http.MethodGet, "/check?email=sales@@gmail.com", nil))
	fmt.Print(answer.Body)
	// Output:
	// {"email":"sales@@gmail.com","result":"undeliverable","reason":"invalid_syntax","message":"The address is not well-formed: there is a second \"@\"; one in the local-part must stand between quotes.","suggestion":"sales@gmail.com","accept_all":false,"role":false,"free_email":false,"disposable":false}
}
