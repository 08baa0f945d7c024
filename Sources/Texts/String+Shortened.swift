// Untrusted text, cut where it is too long: by bytes or scalars, since a character can have any number of them.

extension String {
    /// The text, or its beginning with an ellipsis if it has more bytes of UTF-8 than that; cut between two scalars.
    @inlinable package func cut(to most: Int) -> String {
        guard utf8.count > most else { return self }
        let mark = "…"
        var end = utf8.index(startIndex, offsetBy: max(0, most - mark.utf8.count))
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return self[..<end] + mark
    }

    /// As much of an input as an error message should quote.
    @inlinable package var shortened: String {
        let most = 64
        guard utf8.count > most,
            let end = unicodeScalars.index(startIndex, offsetBy: most, limitedBy: endIndex), end < endIndex
        else { return self }
        return String(unicodeScalars[..<end]) + "…"
    }
}
