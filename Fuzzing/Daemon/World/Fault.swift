/// A guarantee that was violated.
struct Fault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws the message if `isKept` is false.
func promise(_ isKept: Bool, _ sentence: @autoclosure () -> String) throws(Fault) {
    guard isKept else { throw Fault(sentence()) }
}
