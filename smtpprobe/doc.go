// Package smtpprobe
package smtpprobe
