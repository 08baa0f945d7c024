// CONFIG: settings.

import Logging
import Posix
import RESP

extension Command {
    package static let config = Command(
        name: "CONFIG", group: .service, needs: .reads(.nothing),
        summary: "Reads the limits and the log level, changes those that need no restart, and shows all settings with sources.",
        details: """
            SET takes several pairs, and sets all of them or none; it sets log, and limits other than \
            \(LiveSetting.fixedLimits). RESETSTAT sets the counts and the lateness in INFO's section Time to 0. SHOW \
            returns, for each setting, its name, value, origin (a place in the configuration file, a variable, an option, \
            CONFIG SET, or default) and the value pending until a restart. These three require a master: a client on the \
            UNIX socket, or one authenticated with a master's token for all sessions. GET also replies for a few settings of \
            Redis, because Redis clients request them.
            """,
        examples: ["CONFIG GET *", "CONFIG SET connections 100", "CONFIG SET log debug", "CONFIG SHOW listen limit.*"],
        Form(GetConfigRequest.self), Form(SetConfigRequest.self),
        Form(word: "RESETSTAT", needs: .administers) { call in
            call.host.resetTimeStatistics()
            return EncodedReply.ok
        },
        Form(word: "SHOW", needs: .administers, .several("pattern", .settingPattern, atLeast: 0, atMost: 126)) {
            call, patterns in
            (call.host.settings?.settings ?? []).filter { setting in
                patterns.isEmpty || patterns.contains { $0.matches(setting.name) }
            }
        })
}

package struct GetConfigRequest: PromptRequest {
    let patterns: [Glob]

    package init(matching pattern: String) throws(CommandError) { patterns = [try Glob(ofSettings: pattern)] }

    private init(_ patterns: [Glob]) { self.patterns = patterns }

    package static let form = CommandForm(word: "GET", .several("pattern", .settingPattern, atLeast: 1, atMost: 126)) {
        GetConfigRequest($0)
    }
    package static var command: Command { .config }

    package func run(_ call: Call) throws(CommandError) -> SettingValues {
        let found = Self.settings(of: call.host).filter { setting in patterns.contains { $0.matches(setting.name) } }
        return SettingValues(settings: found)
    }

    private static func settings(of host: Host) -> [(name: String, value: String)] {
        let limits = Limit.all.map { ($0.name, String(host.limits[keyPath: $0.path])) }
        return [("save", ""), ("appendonly", "no"), ("databases", "1"), ("log", host.log.level.name)] + limits
    }
}

package struct SettingValues: MapValue {
    let settings: [(name: String, value: String)]

    package func write(to map: inout MapWriter) {
        for (name, value) in settings { map.field(name, value) }
    }
}

package struct SetConfigRequest: PromptRequest {
    /// Names and values.
    let settings: [(String, String)]

    package static let form = CommandForm(
        word: "SET", needs: .administers,
        .pairs("setting", .required("name", .text, "its name"), .required("value", .anyText, "its value"), atMost: 63)
    ) { SetConfigRequest(settings: $0) }
    package static var command: Command { .config }

    /// All of them are set, or none.
    package func run(_ call: Call) throws(CommandError) -> EncodedReply {
        var (limits, level) = (call.host.limits, call.host.log.level)
        for (name, value) in settings {
            if Limit.named(name)?.isSetAtStart == true {
                throw CommandError(.generic, "\(name) can only be set when the daemon starts: --limit \(name)=N")
            }
            guard Self.isKnown(name) else { throw Self.unknown(name) }
            do throws(UsageError) {
                if name.lowercased() == "log" { level = try Log.Level(reading: value) } else { try limits.set(name, to: value) }
            } catch {
                throw CommandError(.generic, error.description)
            }
        }
        call.host.limits = limits
        call.host.setLogLevel(level)
        return .ok
    }

    private static func isKnown(_ name: String) -> Bool {
        Limit.named(name) != nil || Limit.notSettable[name.lowercased()] != nil || name.lowercased() == "log"
    }

    private static func unknown(_ name: String) -> CommandError {
        let names = ["log"] + Limit.all.filter { !$0.isSetAtStart }.map(\.name)
        return CommandError(.generic, "there is no setting '\(name.shortened)' that can be changed; \(names.advice(for: name))")
    }
}

extension ShownSetting: MapValue {
    package func write(to map: inout MapWriter) {
        map.field("name", name)
        map.field("value", value)
        map.field("origin", origin)
        map.field("pending", pending)
    }
}

extension WordParser<Glob> {
    fileprivate static let settingPattern = WordParser(type: .text, text: Glob.init(ofSettings:))
}

extension Glob {
    /// Names of settings are in small letters.
    fileprivate init(ofSettings pattern: String) throws(CommandError) {
        self = try pattern.lowercased().withView { view throws(CommandError) in try Glob(checked: view) }
    }
}
