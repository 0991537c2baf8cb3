package keyring

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// rateUnits are the times for which a rate can be given.
var rateUnits = []struct {
	name    string
	seconds float64
}{{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}}

// ParseRate reads a rate as people write it: 10/s, 600/m, 100/h, 50/d, or 10
// for a second. It returns requests a second, and requests in the time that the
// text names.
func ParseRate(text string) (perSecond, requests float64, err error) {
	const least, most = 0.01, 1e6 // the one as given, the other a second: beyond what a server answers
	number, name, found := strings.Cut(text, "/")
	if !found {
		name = rateUnits[0].name
	}
	requests, err = strconv.ParseFloat(number, 64)
	for _, unit := range rateUnits {
		perSecond := requests / unit.seconds
		if err == nil && unit.name == name && requests >= least && perSecond <= most {
			return perSecond, requests, nil
		}
	}
	return 0, 0, fmt.Errorf(
		"%q is not a rate: write requests in a second, minute, hour or day, such as 10/s or 600/m", text)
}

// RateText writes a rate as [ParseRate] reads it, for the shortest time in
// which it is a whole number of requests.
func RateText(perSecond float64) string {
	const nearly = 1e-6 // what a rate loses that was given for a longer time
	for _, unit := range rateUnits {
		requests := perSecond * unit.seconds
		if whole := math.Round(requests); whole >= 1 && math.Abs(requests-whole) <= nearly*whole {
			return strconv.FormatFloat(whole, 'f', 0, 64) + "/" + unit.name
		}
	}
	return strconv.FormatFloat(perSecond, 'g', 4, 64) + "/s"
}
