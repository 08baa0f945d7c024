// The installed configuration file, compared with the list of options.

import Testing
@testable import Commands
@testable import GameDaemon

@Suite struct `The configuration file with every setting at its default` {
    private let text = ConfigurationText.text

    /// Returns the line that sets this setting once its slashes are removed; nil if there is none.
    private func setting(_ name: String) -> String? {
        let names = ["\(name): ", "\"\(name)\": "]
        return text.split(separator: "\n").map(String.init).first { line in
            names.contains { line.hasPrefix("  // \($0)") || line.hasPrefix("    // \($0)") || line.hasPrefix("  \($0)") }
        }
    }

    @Test func `The configuration file of all defaults is valid and sets nothing`() {
        let layer = ConfigurationFile("F", Array(text.utf8)).layer
        #expect(layer.mistakes.isEmpty && layer.settings.values.allSatisfy(\.values.isEmpty), "\(layer)")
    }

    @Test func `The configuration file of all defaults has every setting and every limit`() {
        for option in DaemonOption.inFile { #expect(setting(option.key) != nil, "\(option.key)") }
        for limit in Limit.all { #expect(setting(limit.name) != nil, "\(limit.name)") }
        for option in DaemonOption.all where !option.isInFile { #expect(setting(option.key) == nil, "\(option.key)") }
    }

    @Test func `The configuration file of all defaults changes nothing when its lines are uncommented`() throws {
        var lines = text.split(separator: "\n").map(String.init)
        let names = DaemonOption.inFile.map(\.key) + Limit.all.map(\.name)
        for name in names where name != "limit" {
            let line = try #require(setting(name))
            let index = try #require(lines.firstIndex(of: line))
            lines[index] = line.replacing("// ", with: "", maxReplacements: 1)
        }
        let file = ConfigurationFile("F", Array(lines.joined(separator: "\n").utf8))
        #expect(file.layer.mistakes.isEmpty)
        var options = Options()
        for option in DaemonOption.inFile {
            for value in file.layer.settings[option.key]?.values ?? [] { try options.apply(option, value.text) }
        }
        // A service's paths differ from those of the user that runs this test. A page that is asked for has no fallback address.
        options.socketPath = Options().socketPath
        (options.persistence, options.web) = (Options().persistence, Options().web)
        #expect(options == Options())
        let shown = [
            "socket": "/run/gamed/gamed.sock", "http": "127.0.0.1:7650", "data": "/var/lib/gamed", "durability": "everysec",
        ]
        for (name, value) in shown { #expect(setting(name)?.hasPrefix("  // \(name): \"\(value)\",  // ") == true, "\(name)") }
    }

    @Test func `The configuration file of all defaults has lines of at most 116 characters`() {
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 116 })
    }
}

@Suite struct `The list of options` {
    @Test func `The help of an option says whether it is repeatable`() {
        for option in DaemonOption.all {
            let isList = option.isRepeatable
            #expect(isList == option.help.contains("; repeatable"), "\(option.name)")
        }
    }

    @Test func `The help of an option shows its default`() {
        for option in DaemonOption.settings where option.standard != nil {
            #expect(option.help.contains("(default \(option.standard ?? "")"), "\(option.name)")
        }
    }

    @Test func `Each option has its own environment variable`() {
        #expect(Set(DaemonOption.all.map(\.variable)).count == DaemonOption.all.count)
        #expect(!DaemonOption.all.map(\.variable).contains("GAMED_TOKEN"))
    }
}
