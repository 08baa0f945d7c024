// `gamectl manual`: gamectl(1) as roff, for the build.

import Client

extension Subcommand {
    static let manual = Subcommand(
        .offline, syntax: "manual", summary: "Prints the page of gamectl in the manual as roff.", examples: ["gamectl manual"],
        words: 0...0
    ) { context, _ throws(ControlError) in
        try context.output.write(ClientManual(context.subcommands).text)
        return .accepted
    }
}
