// CONFIG: settings.

import RESP

extension Command {
    static let config: Command = Command(
        name: "CONFIG", group: .service,
        syntax: "CONFIG GET pattern [pattern …]",
        summary: "Settings, as far as Redis clients ask for them.",
        examples: ["CONFIG GET *"],
        words: 2...anyNumber
    ) { call throws(CommandError) in
        guard call.arguments[1].isWord("GET"), call.count > 2 else { throw .syntax(call.command.syntax) }
        let settings = [("save", ""), ("appendonly", "no"), ("databases", "1")]
        let patterns = (2..<call.count).map { Glob(call.text($0)) }
        let found = settings.filter { setting in patterns.contains { $0.matches(setting.0) } }
        call.reply.append(mapOf: found.count)
        for (name, value) in found {
            call.reply.append(bulk: name)
            call.reply.append(bulk: value)
        }
    }
}
