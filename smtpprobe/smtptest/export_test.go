package smtptest

var ParseScript = parseScript
