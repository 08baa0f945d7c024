// PAGE: the way to the page.

import RESP

extension Command {
    package static let page: Command = Command(
        name: "PAGE", group: .service, needs: .administers,
        syntax: "PAGE",
        summary: "Prints a login link for the page. It works once.",
        details: """
            Only a master may ask for it. It works once, and the login lasts in that browser. A daemon that was started with --http-open asks nobody to log in, and one \
            with --http none has no page.
            """,
        examples: ["PAGE"],
        words: 1...1
    ) { call throws(CommandError) in
        guard let link = call.host.pageLink else {
            throw CommandError(.generic, "there is no page; the daemon's option --http HOST:PORT serves one")
        }
        call.reply.append(bulk: link())
    }
}
