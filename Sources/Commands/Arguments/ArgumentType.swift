// The types of arguments, for the check of JSON bodies and for the documentation.

package enum ArgumentType: Equatable, Sendable {
    case text, flag, object, any
    /// A whole number, from there on.
    case integer(from: Int)
    case choice([String])
    /// A duration: `10s`, `-1m`, or milliseconds.
    case duration
    /// `12` or `"3:12"`.
    case version
}
