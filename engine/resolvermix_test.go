package engine_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
)

// mixture is a resolver for a world in which every domain but those under "com"
// is alive and has one mail host, and the domains of the check, too. Of some
// questions it denies what was asked for, to some it is silent.
type mixture struct {
	denies, silences float64
	lasts            time.Duration // how long it is in one mood; 0: each question meets another
	seed             uint64

	mu      sync.Mutex
	asked   map[string]int
	queries int
}

// queryTakes is how long an answer takes.
const queryTakes = 10 * time.Millisecond

func (m *mixture) Exchange(ctx context.Context, query []byte, _, _ string) ([]byte, error) {
	asked := new(dns.Msg)
	if err := asked.Unpack(query); err != nil {
		return nil, err
	}
	q := asked.Question[0]
	mood := m.mood(q)
	if mood >= m.denies && mood < m.denies+m.silences {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	time.Sleep(queryTakes)
	answer := new(dns.Msg).SetReply(asked)
	answer.RecursionAvailable = true
	name := strings.TrimSuffix(q.Name, ".")
	name = strings.TrimPrefix(name, "mx.")
	wellKnown := name == "gmail.com" || name == "outlook.com" || name == "yahoo.com" || name == "icloud.com"
	switch header := (dns.RR_Header{Name: q.Name, Rrtype: q.Qtype, Class: dns.ClassINET, Ttl: 300}); {
	case mood < m.denies, strings.HasSuffix(name, ".com") && !wellKnown:
		answer.Rcode = dns.RcodeNameError
	case q.Qtype == dns.TypeMX:
		answer.Answer = []dns.RR{&dns.MX{Hdr: header, Preference: 10, Mx: "mx." + q.Name}}
	case q.Qtype == dns.TypeA && strings.HasPrefix(q.Name, "mx."):
		answer.Answer = []dns.RR{&dns.A{Hdr: header, A: net.IPv4(9, 9, 9, 9)}}
	}
	return answer.Pack()
}

// mood is a number in [0, 1) that depends on the seed, and on the time or on
// the question and how often it was asked.
func (m *mixture) mood(q dns.Question) float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queries++
	key := "interval " + strconv.FormatInt(time.Now().UnixNano()/int64(max(m.lasts, 1)), 10)
	if m.lasts == 0 {
		key = q.Name + dns.TypeToString[q.Qtype]
		m.asked[key]++
		key += strconv.Itoa(m.asked[key])
	}
	hash := fnv.New64a()
	hash.Write([]byte(key))
	return rand.New(rand.NewPCG(m.seed, hash.Sum64())).Float64()
}

// TestNoPathFromABrokenResolverToUndeliverable: random mixes of truth, denial
// and silence, by question and by interval. RCPT_MIXES sets how many
// verifications there are for each.
func TestNoPathFromABrokenResolverToUndeliverable(t *testing.T) {
	each := 1600 // 104,000 in all
	if testing.Short() {
		each = 200
	}
	if n, err := strconv.Atoi(os.Getenv("RCPT_MIXES")); err == nil {
		each = n
	}
	for _, lasts := range []time.Duration{0, 100 * time.Millisecond, time.Second, 10 * time.Second, time.Minute} {
		for _, mix := range []struct{ denies, silences float64 }{
			{0.01, 0}, {0.05, 0}, {0.1, 0}, {0.2, 0}, {0.5, 0}, {0.9, 0}, {0.99, 0}, {1, 0}, {0.1, 0.1}, {0.1, 0.8}, {0.33, 0.33}, {0.5, 0.5}, {0.01, 0.9},
		} {
			t.Run(fmt.Sprintf("%v denied %v silent %v", lasts, mix.denies, mix.silences), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					verifyInMixture(t, &mixture{denies: mix.denies, silences: mix.silences, lasts: lasts}, each)
				})
			})
		}
	}
}

func verifyInMixture(t *testing.T, mix *mixture, addresses int) {
	mix.seed, mix.asked = uint64(addresses), make(map[string]int)
	verifier, err := engine.New(engine.Config{
		Level: engine.LevelDNS, Resolvers: []string{"192.0.2.53"}, Exchanger: mix, NetworkCheck: engine.NetworkCheckOn,
		CheckDomains: []string{"gmail.com", "outlook.com", "yahoo.com", "icloud.com"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer verifier.Close()
	reasons := make(map[rcpt.Reason]int)
	var mu sync.Mutex
	var workers sync.WaitGroup
	const atATime = 100
	for w := range atATime {
		workers.Go(func() {
			for i := w; i < addresses; i += atATime {
				result, err := verifier.Verify(t.Context(), fmt.Sprintf("user@d%d.test", i))
				mu.Lock()
				reasons[result.Reason]++
				mu.Unlock()
				if err != nil || result.Verdict == rcpt.VerdictUndeliverable {
					t.Errorf("%s: %s %s, %v", result.Email, result.Verdict, result.Reason, err)
				}
				time.Sleep(max(queryTakes, mix.lasts/8))
			}
		})
	}
	workers.Wait()
	mix.mu.Lock()
	defer mix.mu.Unlock()
	t.Logf("%v; %.1f queries each", reasons, float64(mix.queries)/float64(addresses))
}
