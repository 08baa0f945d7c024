// The rule for new sessions' names. Sessions with other names, from before the rule, can still be used and dropped.

import Memory

extension ByteString {
    /// Throws unless the name is UTF-8 without control characters, and can stand in a page's address.
    func checkAsNewName() throws(SessionError) {
        guard let text = withBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw SessionError(.badName, "a session's name is UTF-8, and this one is not")
        }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw SessionError(.badName, "a session's name has no control characters, and this one has")
        }
        guard text != ".", text != ".." else {
            throw SessionError(.badName, "a session is not called '\(text)', which no address of the page could name")
        }
    }
}
