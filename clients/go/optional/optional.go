// Package optional has what a generated client uses of
// github.com/antihax/optional, so that it is built without fetching anything.
package optional

// Optional is a value that may be absent.
type Optional[T any] struct {
	isSet bool
	value T
}

// IsSet tells whether there is a value.
func (optional Optional[T]) IsSet() bool { return optional.isSet }

// Value gives the value, or its type's zero.
func (optional Optional[T]) Value() T { return optional.value }

type (
	Bool      = Optional[bool]
	Int32     = Optional[int32]
	Int64     = Optional[int64]
	Interface = Optional[interface{}]
	String    = Optional[string]
)

func of[T any](value T) Optional[T] { return Optional[T]{isSet: true, value: value} }

func NewBool(value bool) Bool                  { return of(value) }
func NewInt32(value int32) Int32               { return of(value) }
func NewInt64(value int64) Int64               { return of(value) }
func NewInterface(value interface{}) Interface { return of(value) }
func NewString(value string) String            { return of(value) }
