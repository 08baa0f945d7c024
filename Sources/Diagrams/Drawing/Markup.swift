// SVG as text: elements with attributes, and everything that a flow calls itself escaped.

import Texts

/// Names and values in order; names without a value are left out.
typealias Attributes = KeyValuePairs<String, String>

struct Markup {
    private(set) var text = ""
    private var open: [String] = []

    mutating func begin(_ name: String, _ attributes: Attributes) {
        tag(name, [attributes], ">")
        open.append(name)
    }

    mutating func end() {
        if let name = open.popLast() { text += "</\(name)>\n" }
    }

    mutating func add(_ name: String, _ attributes: Attributes...) {
        tag(name, attributes, "/>\n")
    }

    mutating func add(_ name: String, _ attributes: Attributes..., text content: String) {
        tag(name, attributes, ">")
        text += content.escapedMarkup + "</\(name)>\n"
    }

    private mutating func tag(_ name: String, _ attributes: [Attributes], _ end: String) {
        text += "<\(name)"
        for (name, value) in attributes.joined() where !value.isEmpty { text += " \(name)=\"\(value.escapedMarkup)\"" }
        text += end
    }
}

extension String {
    /// Printable, without the few characters that no XML may have, and with marks written out.
    fileprivate var escapedMarkup: String {
        printable.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "&": text += "&amp;"
            case "\"": text += "&quot;"
            case "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Double {
    /// With one digit behind the point at most.
    var drawn: String {
        let tenths = Int((self * 10).rounded())
        let (whole, rest) = (abs(tenths) / 10, abs(tenths) % 10)
        return (tenths < 0 ? "-" : "") + (rest == 0 ? "\(whole)" : "\(whole).\(rest)")
    }
}
