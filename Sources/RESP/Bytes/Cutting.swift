// Text that must not be longer than so many bytes.

extension String {
    /// The text, or its beginning with `…` if it has more bytes than that. It is cut between two scalars, and so stays UTF-8.
    func cut(to most: Int) -> String {
        guard utf8.count > most else { return self }
        let mark = "…"
        var end = utf8.index(startIndex, offsetBy: max(0, most - mark.utf8.count))
        while end.samePosition(in: unicodeScalars) == nil { utf8.formIndex(before: &end) }
        return self[..<end] + mark
    }
}
