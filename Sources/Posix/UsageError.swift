/// A command line, or a setting, that cannot be followed, in one sentence.
package struct UsageError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
