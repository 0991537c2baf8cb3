package schedule

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// heldBy tells by which checks, kinds of hosts and tests each rule of doc.go is
// held, beside the sums: checks are methods of life, or of Verify; kinds are
// those that would show a fault in the answers.
var heldBy = map[string]string{
	"1.1": "checkAnswer checkEnd",
	"1.2": "checkAnswer checkReason TestLastWords TestTimeOfHeldRefusals hurries slowReset",
	"1.3": "verifySessions checkLimits",
	"1.4": "checkSessions",
	"1.5": "checkOpen checkRun checkReason TestHeldRefusals",
	"1.6": "checkOpen checkReason checkEnd",

	"2.1": "singleWaits checkRun TestOrder",
	"2.2": "TestTurnsOfTen TestOrder",
	"2.3": "checkRun TestSingleCheckTakesTheSessionOfAList TestFormBesideAList",
	"2.4": "checkLimits checkNamed checkShare TestShares TestFormBesideAList",

	"3.1": "checkRun",
	"3.2": "checkSize slowHost limitsRecipients TestTransactionSize",
	"3.3": "checkControls takesAll refusesBeside nameless oneRecipient",
	"3.4": "checkFinal outOfStep answersTwice answersNot policyAfter closes",
	"3.5": "checkFinal checkAnswer",
	"3.6": "checkFinal halfUTF8 lacksUTF8",

	"4.1": "checkProof",
	"4.2": "checkFinal checkSession turnsSession turnsTransaction TestProofMakesWay",
	"4.3": "verifyHost checkEnd TestHeldRefusals",
	"4.4": "checkFinal turnsClient",
	"4.5": "checkInherited checkOpen muteHost limitsAll turnsClient TestLeftAloneAllTheSame",

	"5.1": "somethingHappens TestFormBesideAList TestSessionsAtHosts",
	"5.2": "idleWith TestIdleFirst",
	"5.3": "checkSession TestHostsTakeTurns TestSessionsAreForgotten",
	"5.4": "check checkSession endsIdle",
	"5.5": "noteNotOpened checkInherited outOfReach limitsSessions limitsOperator hurries TestPutOff",
	"5.6": "checkSession TestTrials failsTLS failsPipelining wantsTLS",

	"6.1": "checkLimits checkNamed checkBudget",
	"6.2": "TestHostsTakeTurns TestThoseWhoseSingleChecksHaveGone",
	"6.3": "checkReason check TestFeed",
	"6.4": "checkReason TestTurnBehindTheEnd",
	"6.5": "checkReason checkWaiting",
	"6.6": "TestNamesOfAProvider TestNameOfAProvider",

	"7.1": "checkWay checkRun checkReason verifyHost blocks blocksMany ratesLimits TestNobodyAskedWhilePaused",
	"7.2": "isPaused TestPauses",

	"8.1": "checkWay checkReason TestRoutes",
	"8.2": "TestAddressesOfWays",
	"8.3": "checkWay greylists TestGreylistedSite",
	"8.4": "checkWay TestEgressThatIsDown TestSilentHosts",
	"8.5": "checkWay checkRun checkReason TestReplacedEgresses",
	"8.6": "checkWay checkReason",

	"9.1": "TestLimits TestLimitsAreLearnt TestFirstSessions hangsUp",
	"9.2": "noteNotOpened checkOpen checkSession limitsSessions TestSessionsHalveOnce",
	"9.3": "checkSession postfix slowReset TestUntilRefused",
	"9.4": "TestWhichLimit TestLimitsAreLearnt",
	"9.5": "TestLimitGoesAway TestTroubleIsForgotten TestOneHour limitsForAWhile",
}

// rules returns the numbers of the rules of doc.go.
func rules(t *testing.T) (all []string) {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	part := ""
	for _, m := range regexp.MustCompile(`(?m)^//(?: # (\d+)\.|  (\d+)\.) `).FindAllStringSubmatch(string(text), -1) {
		if m[1] != "" {
			part = m[1]
			continue
		}
		all = append(all, part+"."+m[2])
	}
	return all
}

// TestRules sees that each rule of doc.go is held by something that there is,
// so that a rule without a check is seen.
func TestRules(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func (?:\(.*?\) )?(\w+)|^\t(\w+) +// `).FindAllStringSubmatch(string(text), -1) {
			declared[m[1]+m[2]] = true
		}
	}
	all := rules(t)
	if len(all) != len(heldBy) {
		t.Errorf("%d rules, and %d that are held", len(all), len(heldBy))
	}
	for _, rule := range all {
		if heldBy[rule] == "" {
			t.Errorf("nothing holds rule %s", rule)
		}
		for name := range strings.FieldsSeq(heldBy[rule]) {
			if !declared[name] {
				t.Errorf("rule %s: there is no %s", rule, name)
			}
		}
	}
}
