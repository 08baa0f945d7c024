// The configuration file as it is installed: every setting with its help, commented out at its default.

import Commands
import GameFlow
import Posix
import Texts

struct ConfigurationText {
    /// Where lines of help end.
    private static let width = 110
    /// The defaults of a service, and not of the user who prints this.
    private static let places = [DefaultPaths.socket: "/run/gamed/gamed.sock", DefaultPaths.data: "/var/lib/gamed"]

    private var lines: [String] = []

    static var text: String {
        var text = ConfigurationText()
        text.addHead()
        for group in DaemonOption.Group.allCases where DaemonOption.inFile.contains(where: { $0.group == group }) {
            text.add(group)
        }
        text.lines.append("}")
        return text.lines.joined(separator: "\n")
    }

    private mutating func addHead() {
        comment(
            "Settings of gamed, each at its default. Remove the slashes before those that you change. gamed --check "
                + "reports errors; gamectl config shows effective settings and their sources.", indent: "")
        comment(
            "SIGHUP (systemctl reload gamed) applies those with a (*) while gamed runs; others need a restart. Variables such as "
                + "GAMED_HTTP_OPEN come before this file, and options such as --http-open before both. Paths may be relative to the "
                + "folder of this file.", indent: "")
        lines.append("{")
    }

    private mutating func add(_ group: DaemonOption.Group) {
        if lines.last != "{" { lines.append("") }
        comment("== \(group.rawValue) ==")
        for option in DaemonOption.inFile where option.group == group { add(option) }
    }

    private mutating func add(_ option: DaemonOption) {
        lines.append("")
        guard option.key != "limit" else { return addLimits() }
        comment("\(Self.help(of: option))\(option.changesLive ? " (*)" : "")")
        lines.append("  // \(Self.name(option.key)): \(Self.standard(of: option)),\(Self.form(of: option))")
    }

    private mutating func addLimits() {
        comment("Limits on resources that clients can grow. All are (*), except those that can only be set at start.")
        lines.append("  limit: {")
        for limit in Limit.all {
            comment("\(limit.sentence)\(limit.isSetAtStart ? " (only at start)" : "")", indent: "    ")
            lines.append("    // \(Self.name(limit.name)): \(limit.standard),")
        }
        lines.append("  },")
    }

    private mutating func comment(_ text: String, indent: String = "  ") {
        let wrapped = TextColumns.wrapped(text, to: Self.width)
        for line in wrapped.split(separator: "\n") { lines.append("\(indent)// \(line)") }
    }

    /// As it is for a service, and in the file.
    static func help(of option: DaemonOption) -> String { helpForService(option).replacing("; repeatable", with: "") }

    /// With the places of a service, and not those of the user who prints it.
    static func helpForService(_ option: DaemonOption) -> String {
        places.reduce(option.help) { $0.replacing($1.key, with: $1.value) }
    }

    /// The default as it is written here.
    private static func standard(of option: DaemonOption) -> String {
        switch option.kind {
        case .flag, .optional: "false"
        case .list: "[]"
        case .pairs: "{}"
        case .value: option.standard.map { JSON.string(places[$0] ?? $0).description } ?? "null"
        }
    }

    /// The form of other values.
    private static func form(of option: DaemonOption) -> String {
        switch option.kind {
        case .flag: ""
        case .optional: "  // true, or \(option.label)"
        case .list: "  // [\"\(option.label)\", …]"
        case .pairs: "  // \(ConfigurationFile.example(option))"
        case .value: "  // \(option.label)"
        }
    }

    private static func name(_ key: String) -> String { key.contains("-") ? "\"\(key)\"" : key }
}
