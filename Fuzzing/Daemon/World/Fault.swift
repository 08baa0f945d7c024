/// A promise that was not kept.
struct Fault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws the sentence if a promise is not kept.
func promise(_ isKept: Bool, _ sentence: @autoclosure () -> String) throws(Fault) {
    guard isKept else { throw Fault(sentence()) }
}
