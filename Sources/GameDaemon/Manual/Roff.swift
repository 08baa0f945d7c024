// Writes roff, the language of man pages.

import Installation
import Texts

struct Roff {
    private(set) var text: String

    init(title: String, section: Int) {
        text = ".TH \(title.uppercased()) \(section) \"\" \"gamed \(gamedVersion)\" \"gamed\"\n"
    }

    mutating func section(_ title: String) {
        text += ".SH \(Self.quoted(title.uppercased()))\n"
    }

    mutating func subsection(_ title: String) {
        text += ".SS \(Self.quoted(title))\n"
    }

    mutating func paragraph(_ words: String) {
        text += ".PP\n\(Self.escaped(words))\n"
    }

    /// A term and its explanation.
    mutating func entry(_ term: String, _ explanation: String...) {
        text += ".TP\n.B \(Self.quoted(term))\n"
        text += explanation.filter { !$0.isEmpty }.map(Self.escaped).joined(separator: "\n.IP\n") + "\n"
    }

    /// Preformatted lines.
    mutating func example(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        text += ".PP\n.in +4n\n.EX\n\(lines.map(Self.escaped).joined(separator: "\n"))\n.EE\n.in\n"
    }

    private static func quoted(_ words: String) -> String {
        "\"\(escaped(words).replacing("\"", with: "\\(dq"))\""
    }

    /// Escapes everything special, and keeps ASCII characters ASCII, so that they can be copied and searched for.
    private static func escaped(_ words: String) -> String {
        var text = ""
        for scalar in words.unicodeScalars {
            switch scalar {
            case "\\": text += "\\e"
            case "-": text += "\\-"
            case "^": text += "\\(ha"
            case "~": text += "\\(ti"
            case "`": text += "\\(ga"
            case "'": text += "\\(aq"
            case _ where !scalar.isASCII: text += "\\[u\(String(scalar.value, radix: 16, uppercase: true).leftPadded(to: 4))]"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text.hasPrefix(".") ? "\\&" + text : text
    }
}

extension String {
    fileprivate func leftPadded(to length: Int) -> String {
        String(repeating: "0", count: max(0, length - count)) + self
    }
}
