// INFO: how the daemon is.

import Glibc
import RESP
import Timers

extension Command {
    static let info: Command = Command(
        name: "INFO", group: .service,
        syntax: "INFO [section]",
        summary: "How the daemon is.",
        examples: ["INFO"],
        words: 1...anyNumber
    ) { call throws(CommandError) in
        let daemon = call.daemon
        call.reply.append(
            verbatim: """
                # Server\r
                gamed_version:\(gamedVersion)\r
                process_id:\(getpid())\r
                time:\(daemon.virtualClock == nil ? "system" : "virtual")\r
                # Clients\r
                connected_clients:\(daemon.clientCount)\r
                # Sessions\r
                sessions:\(daemon.sessions.count)\r
                armed_timers:\(daemon.timekeeper.armedCount)\r

                """)
    }
}
