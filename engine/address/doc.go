// Package address
package address
