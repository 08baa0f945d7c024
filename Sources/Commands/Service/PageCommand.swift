// PAGE: the way to the page.

import RESP

extension Command {
    package static let page = Command(
        name: "PAGE", group: .service, needs: .administers,
        summary: "Prints a login link for the page. It works once.",
        details: """
            Only a master may ask for it. It works once, and the login lasts in that browser. A daemon that was started with --http-open asks nobody to log in, and one \
            with --http none has no page.
            """,
        examples: ["PAGE"],
        PageRequest.self)
}

struct PageRequest: PromptRequest {
    static let form = CommandForm { PageRequest() }
    static var command: Command { .page }

    func run(_ call: Call) throws(CommandError) -> String {
        guard let page = call.host.page else {
            throw CommandError(.generic, "there is no page; the daemon's option --http HOST:PORT serves one")
        }
        return page.link
    }
}
