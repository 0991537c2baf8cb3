// Package lists
package lists
