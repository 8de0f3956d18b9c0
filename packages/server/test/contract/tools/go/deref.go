package main

import "reflect"

// deref gives what a pointer points to, or the value itself: a member may be nullable or not.
func deref(value interface{}) interface{} {
	if pointer := reflect.ValueOf(value); pointer.Kind() == reflect.Pointer && !pointer.IsNil() {
		return pointer.Elem().Interface()
	}
	return value
}
