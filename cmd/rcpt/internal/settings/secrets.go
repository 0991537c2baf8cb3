package settings

import (
	"fmt"
	"os"
	"strings"

	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/sys/wholefile"
)

// SecretVariables are those that may be a secret, or have one in them. Each can
// be in a file instead, as Docker and Kubernetes mount secrets.
var SecretVariables = []string{
	keyring.FixedVariable, "RCPT_DATABASE", "RCPT_PROXY", "RCPT_ALERT_RELAY", "RCPT_ALERT_URL", "RCPT_ALERT_WEBHOOK",
}

// secretFile is what the name of the variable with the path of such a file ends
// with.
const secretFile = "_FILE"

// ReadSecrets sets the variables whose values are in files.
func ReadSecrets() error {
	for _, name := range SecretVariables {
		path, given := os.LookupEnv(name + secretFile)
		if !given {
			continue
		}
		if _, twice := os.LookupEnv(name); twice {
			return fmt.Errorf("%s and %s%s are both set: keep one of them", name, name, secretFile)
		}
		text, err := wholefile.Read(path)
		if err != nil {
			return fmt.Errorf("%s%s=%s: %w", name, secretFile, path, err)
		}
		secret := strings.TrimSpace(string(text))
		if secret == "" || strings.ContainsAny(secret, "\x00\r\n") {
			return fmt.Errorf("%s%s=%s: the file must have one line with the value", name, secretFile, path)
		}
		if err := os.Setenv(name, secret); err != nil {
			return fmt.Errorf("%s%s=%s: %w", name, secretFile, path, err)
		}
		os.Unsetenv(name + secretFile)
	}
	return nil
}
