// Options as settings: under which names they stand in the configuration file and in the environment, and in which form.

extension Option {
    /// How a file says the value.
    enum Shape {
        /// `true` or `false`.
        case flag
        /// `true`, `false`, or a text.
        case optionalText
        case text
        /// A text, or a list of texts.
        case list
        /// An object, NAME: VALUE.
        case pairs
    }

    var shape: Shape {
        switch kind {
        case .flag: .flag
        case .optional: .optionalText
        case .value: .text
        case .list(let label, _): label.contains("=") ? .pairs : .list
        }
    }

    /// What the value is called in the help; empty for a flag.
    var label: String {
        switch kind {
        case .flag: ""
        case .optional(let label, _), .value(let label, _), .list(let label, _): label
        }
    }

    /// Its name in the file.
    var key: String { String(name.drop { $0 == "-" }) }
    /// Its name in the environment.
    var variable: String { "GAMED_" + key.uppercased().replacing("-", with: "_") }

    /// Whether it says how to serve, and not to do something else instead.
    var isSetting: Bool { group != .other && group != .hidden }
    /// Whether it may stand in the configuration file.
    var isInFile: Bool { isSetting && !isForOneStart }

    /// Whether a relative value of it in a file starts at the file's own folder.
    func isPath(_ value: String) -> Bool {
        let forms = label.split(separator: "|").map(String.init)
        return !forms.contains(value) && forms.contains { ["PATH", "FILE", "DIR"].contains($0) }
    }

    static let settings = all.filter(\.isSetting)
    static let inFile = all.filter(\.isInFile)

    static func setting(_ key: String) -> Option? { settings.first { $0.key == key } }
}
