// Texts of others, cut where they are too long: by bytes and scalars, since one character can have any number of them.

extension String {
    /// At most so many bytes of UTF-8, whole scalars, with a sign behind them where something is missing.
    package func cut(to bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var end = utf8.index(startIndex, offsetBy: max(0, bytes))
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end]) + "…"
    }

    /// What somebody wrote, as far as a sentence about it needs to tell.
    package var shortened: String {
        let most = 64
        guard utf8.count > most,
            let end = unicodeScalars.index(startIndex, offsetBy: most, limitedBy: endIndex), end < endIndex
        else { return self }
        return String(unicodeScalars[..<end]) + "…"
    }
}
