// `gamectl help`: lists the commands, or explains one.

import Client

extension Subcommand {
    static let help = Subcommand(
        .offline, syntax: "help [command]", summary: "Lists the commands, or explains one.", examples: ["gamectl help send"],
        words: 0...1
    ) { context, call throws(ControlError) in
        try context.output.writeLine(context.subcommands.help(about: call.words.first))
        return .accepted
    }

    static let manual = Subcommand(
        .offline, syntax: "manual", summary: "Prints the page of gamectl in the manual as roff.", examples: ["gamectl manual"],
        words: 0...0
    ) { context, _ throws(ControlError) in
        try context.output.write(context.subcommands.manual)
        return .accepted
    }
}
