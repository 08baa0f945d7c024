// What names in a flow file may look like: they stand in replies, in the history, in paths with dots and in lists with commas.

import Texts

enum NameRules {
    /// Of a state, a timer, an id: one word of a path.
    static func complaint(about name: String, of thing: String) -> String? {
        if let complaint = general(name, thing) { return complaint }
        guard let mark = name.first(where: { ".,#/*".contains($0) }) else { return nil }
        return "\(thing) has no '\(mark)' in its name, as \(name.quoted) has; write '-' or '_' there"
    }

    /// Of an event: words with dots between them.
    static func complaint(aboutEvent name: String) -> String? {
        if let complaint = general(name, "an event") { return complaint }
        if let mark = name.first(where: { ",#/*".contains($0) }) {
            return "an event has no '\(mark)' in its name, as \(name.quoted) has; write '-', '_' or '.' there"
        }
        guard !name.hasPrefix("."), !name.hasSuffix("."), !name.contains("..") else {
            return "dots stand between the words of an event's name, and not as in \(name.quoted)"
        }
        guard let word = ["after.", "every.", "left."].first(where: name.hasPrefix) else { return nil }
        return "events whose names begin with '\(word)' are those of timers; call it something else than \(name.quoted)"
    }

    /// Of an event that waits: as events are called, which it is without an id.
    static func complaint(aboutId id: String) -> String? {
        if let complaint = general(id, "an id") { return complaint }
        guard let mark = id.first(where: { ",#/*".contains($0) }) else { return nil }
        return "an id has no '\(mark)' in it, as \(id.quoted) has; write '-', '_' or '.' there"
    }

    /// Of a flow.
    static func complaint(aboutFlow name: String) -> String? {
        if let complaint = general(name, "a flow") { return complaint }
        guard
            name.unicodeScalars.allSatisfy({
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_".unicodeScalars.contains($0))
            })
        else { return "a flow's name has letters, digits, '-' and '_', and not as in \(name.quoted)" }
        return nil
    }

    /// Of a variable of the context, which expressions use.
    static func complaint(aboutVariable name: String) -> String? {
        if let complaint = general(name, "a variable") { return complaint }
        return ExpressionNames.refusal(ofVariable: name).map { "\(name.quoted) \($0); call the variable something else" }
    }

    private static func general(_ name: String, _ thing: String) -> String? {
        if name.isEmpty { return "\(thing) needs a name, and this one is empty" }
        if name.utf8.count > ChartBounds.nameBytes {
            return "a name has at most \(ChartBounds.nameBytes) bytes, and \(name.quoted) has \(name.utf8.count)"
        }
        if name.unicodeScalars.contains(where: \.isUnprintable) {
            return "\(thing) has no control characters in its name, as \(name.quoted) has"
        }
        if name.unicodeScalars.contains(where: \.properties.isWhitespace) {
            return "\(thing) has no blanks in its name, as \(name.quoted) has; write '-' or '_' there"
        }
        return nil
    }
}
