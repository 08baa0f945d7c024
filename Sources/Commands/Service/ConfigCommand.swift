// CONFIG: settings.

import Logging
import Posix
import RESP

extension Command {
    package static let config: Command = Command(
        name: "CONFIG", group: .service, needs: .reads(.nothing),
        syntax: "CONFIG GET pattern [pattern …]|SET name value|RESETSTAT|SHOW [pattern …]",
        summary: "Reads and changes the limits and the log level, and shows all settings and where they come from.",
        details: """
            SET takes several pairs, and sets all of them or none. RESETSTAT resets INFO's lateness statistics. SHOW has an entry for \
            each setting: name, value, origin (a place in the configuration file, a variable, an option, CONFIG SET, or default), and \
            what is pending until a restart. These three take a master: a client on the UNIX socket, or one that has sent a \
            master's token for all sessions. GET also answers for a few settings of Redis, because its clients ask for them.
            """,
        examples: ["CONFIG GET *", "CONFIG SET connections 100", "CONFIG SET log debug", "CONFIG SHOW listen limit.*"],
        words: 2...128,
        forms: [
            Form("SET", needs: .administers), Form("RESETSTAT", needs: .administers), Form("SHOW", needs: .administers),
        ]
    ) { call throws(CommandError) in
        if call.arguments[1].isWord("GET"), call.count > 2 {
            try get(call)
        } else if call.arguments[1].isWord("RESETSTAT"), call.count == 2 {
            call.host.timekeeper.forgetLateness()
            call.reply.append(.ok)
        } else if call.arguments[1].isWord("SET"), call.count > 2, call.count.isMultiple(of: 2) {
            try set(call)
        } else if call.arguments[1].isWord("SHOW") {
            try show(call)
        } else {
            throw .syntax(call.command.syntax)
        }
    }

    private static func get(_ call: Call) throws(CommandError) {
        let patterns = try patterns(call)
        let found = settings(of: call.host).filter { setting in patterns.contains { $0.matches(setting.name) } }
        var map = call.reply.beginMap()
        for (name, value) in found { map.field(name, value) }
        map.end()
    }

    private static func patterns(_ call: Call) throws(CommandError) -> [Glob] {
        var patterns: [Glob] = []
        for index in 2..<call.count { patterns.append(Glob(try call.pattern(index).text.lowercased())) }
        return patterns
    }

    private static func show(_ call: Call) throws(CommandError) {
        let patterns = try patterns(call)
        let found = (call.host.settings?.settings ?? []).filter { setting in
            patterns.isEmpty || patterns.contains { $0.matches(setting.name) }
        }
        call.reply.append(arrayOf: found.count)
        for setting in found {
            var map = call.reply.beginMap()
            map.field("name", setting.name)
            map.field("value", setting.value)
            map.field("origin", setting.origin)
            map.field("pending", setting.pending)
            map.end()
        }
    }

    private static func settings(of host: Host) -> [(name: String, value: String)] {
        let limits = Limit.all.map { ($0.name, String(host.limits[keyPath: $0.path])) }
        return [("save", ""), ("appendonly", "no"), ("databases", "1"), ("log", host.log.level.name)] + limits
    }

    private static func set(_ call: Call) throws(CommandError) {
        var (limits, level) = (call.host.limits, call.host.log.level)
        for index in stride(from: 2, to: call.count, by: 2) {
            let (name, value) = (call.text(index), call.text(index + 1))
            if Limit.named(name)?.isFixed == true {
                throw CommandError(.generic, "\(name) can only be set when the daemon starts: --limit \(name)=N")
            }
            do throws(UsageError) {
                if name.lowercased() == "log" { level = try Log.Level(reading: value) } else { try limits.set(name, to: value) }
            } catch {
                throw CommandError(.generic, error.description)
            }
        }
        call.host.limits = limits
        call.host.setLogLevel(level)
        call.reply.append(.ok)
    }
}
