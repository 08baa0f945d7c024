// A version or an entry's number, perhaps with the life of its session: `17`, `3:17`.

import Sessions

struct NumberInLife {
    /// Nil for the session's present life.
    let life: Life?
    let number: UInt32

    /// Returns nil if the text has another form.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { UInt32($0) }
        guard let last = parts.last, let number = last, parts.count == 1 || parts[0] != nil else { return nil }
        self.number = number
        life = parts.count == 2 ? parts[0] : nil
    }
}
