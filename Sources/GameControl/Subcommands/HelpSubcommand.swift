// `gamectl help`: lists the commands, or explains one.

import Client

extension Subcommand {
    static let help = Subcommand(
        .offline, syntax: "help [command]", summary: "Lists the commands, or explains one.", examples: ["gamectl help send"],
        words: 0...1
    ) { context, call throws(ControlError) in
        try context.output.writeLine(HelpText(context.subcommands).text(about: call.words.first))
        return .accepted
    }
}
