// `gamectl config`: the daemon's settings, and where each comes from.

import Client
import RESP
import Texts

extension Subcommand {
    static let config = Subcommand(
        .daemon, syntax: "config [--changed] [PATTERN …]",
        summary: "Shows effective settings and their sources.",
        details: """
            A setting comes from a place in the configuration file, from a variable, from an option, from CONFIG SET, or it \
            is the default. Changes of the file that need a restart are shown as well. --changed omits defaults; patterns \
            choose by name.
            """,
        examples: ["gamectl config", "gamectl config --changed", "gamectl config listen 'limit.*'"],
        options: [Option("--changed", nil, "only what differs from the defaults")], words: 0...100
    ) { context, call throws(ControlError) in
        try context.showSettings(call)
        return .accepted
    }
}

extension CommandContext {
    fileprivate func showSettings(_ call: Invocation) throws(ControlError) {
        try daemon.checkThatReplies(to: "config")
        let reply = try daemon.ask(["CONFIG", "SHOW"] + call.words)
        guard case .array(let all) = reply else {
            throw .noDaemon("the daemon at \(daemon.address) does not show its settings; it may be of an earlier version")
        }
        let settings = all.filter {
            call.options["--changed"] == nil || $0["origin"]?.text != "default" || $0["pending"]?.text != nil
        }
        try output.write(
            json: .array(settings.map(\.json)), lines: ReplyText(style: output.style).settings(settings),
            absence: all.isEmpty
                ? "no setting matches" : "every setting\(call.words.isEmpty ? "" : " that matches") is at its default")
    }
}

extension ReplyText {
    /// A table, and below it what waits for a restart.
    package func settings(_ settings: [Reply]) -> [String] {
        let rows = settings.map { setting in
            ["name", "value", "origin"].map { (setting[$0]?.text ?? "").printable }
        }
        let waiting = settings.compactMap { setting in
            setting["pending"]?.text.map { "\(setting["name"]?.text ?? "") will be \($0) after a restart".printable }
        }
        return table(["SETTING", "VALUE", "FROM"], rows) + (waiting.isEmpty ? [] : [""] + waiting)
    }
}
