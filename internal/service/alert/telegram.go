package alert

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"sync"

	"github.com/nicholas-fedor/shoutrrr/pkg/util/jsonclient"
)

// mendTelegram makes Telegram report errors of the network, and gives it a time
// limit. The sender of shoutrrr 0.13 reads errors from the server's answer
// alone: without an answer, or with one of another kind, the message counts as
// sent. Only Telegram uses this client.
var mendTelegram = sync.OnceFunc(func() {
	jsonclient.DefaultClient = telegramClient{jsonclient.NewWithHTTPClient(&http.Client{Timeout: sendTimeout})}
})

// telegramClient makes of each failure an answer that says what is wrong.
type telegramClient struct{ jsonclient.Client }

// Post posts a request, and reads the answer.
func (c telegramClient) Post(url string, request, response any) error {
	var answer json.RawMessage
	err := c.Client.Post(url, request, &answer)
	var failed jsonclient.Error
	if errors.As(err, &failed) {
		answer = json.RawMessage(failed.Body)
	}
	var said struct {
		OK          bool   `json:"ok"`
		Description string `json:"description"`
	}
	if unread := json.Unmarshal(answer, &said); unread == nil && said.OK && err == nil {
		return json.Unmarshal(answer, response)
	}
	if err == nil {
		err = errors.New("the answer is not Telegram's")
	}
	said.OK, said.Description = false, cmp.Or(said.Description, err.Error())
	body, _ := json.Marshal(said)
	return jsonclient.Error{StatusCode: failed.StatusCode, Body: string(body)}
}
