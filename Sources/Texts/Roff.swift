// Writes roff, the language of man pages.

package struct Roff {
    package private(set) var text: String

    /// `version` is the version of gamed that the manual describes.
    package init(title: String, section: Int, version: String) {
        text = ".TH \(title.uppercased()) \(section) \"\" \"gamed \(version)\" \"gamed\"\n"
    }

    package mutating func section(_ title: String) {
        text += ".SH \(Self.quoted(title.uppercased()))\n"
    }

    package mutating func subsection(_ title: String) {
        text += ".SS \(Self.quoted(title))\n"
    }

    package mutating func paragraph(_ words: String) {
        text += ".PP\n\(Self.escaped(words))\n"
    }

    /// A term and its explanation.
    package mutating func entry(_ term: String, _ explanation: String...) {
        text += ".TP\n.B \(Self.quoted(term))\n"
        text += explanation.filter { !$0.isEmpty }.map(Self.escaped).joined(separator: "\n.IP\n") + "\n"
    }

    /// Another paragraph of the last entry.
    package mutating func more(_ words: String) {
        text += ".IP\n\(Self.escaped(words))\n"
    }

    /// Preformatted lines.
    package mutating func example(_ lines: [String]) {
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
            case _ where !scalar.isASCII:
                text += "\\[u\(String(scalar.value, radix: 16, uppercase: true).leftPadded(to: 4, with: "0"))]"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text.hasPrefix(".") ? "\\&" + text : text
    }
}
