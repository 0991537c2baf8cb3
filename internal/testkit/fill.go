package testkit

import (
	"fmt"
	"reflect"
	"time"
)

// Fill gives each exported field below the pointer v a value that is not zero,
// so that a test notices a field that is lost on the way.
func Fill(v any) { fill(reflect.ValueOf(v).Elem(), "v") }

// fill fills a value; name makes texts differ.
func fill(v reflect.Value, name string) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)))
	case v.Type() == reflect.TypeFor[time.Duration]():
		v.SetInt(int64(time.Hour))
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				fill(v.Field(i), field.Name)
			}
		}
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), name)
	case v.Kind() == reflect.String:
		v.SetString(name)
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(1)
	case v.CanUint():
		v.SetUint(1)
	default:
		panic(fmt.Sprintf("testkit: a %v cannot be filled", v.Type()))
	}
}
